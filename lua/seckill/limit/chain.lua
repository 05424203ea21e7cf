-- Several limiters as one: all of them take, or none does.
--
-- A limiter has, as in lua-resty-limit-traffic:
--   incoming(key, commit)   the delay in seconds and what uncommit wants to
--     be told; nil and "rejected"; or nil and an error (a full dict is one).
--     Without commit it only says what it would do.
--   uncommit(key, told)     gives back what was taken.
-- So ours work in resty.limit.traffic's combine(), and resty.limit.* here:
-- conn as it is, count and req by resty_count and resty_req.
-- Unlike combine() a chain asks each limiter once and takes at once.

local _M = {}
local MT = { __index = _M }

-- links: limiter, name, passes (true: its error lets pass).
-- on_error(name, passes, error) is told of every error. shadow: by name, true
-- while what a limiter refuses passes all the same; on_shadow(name) is told.
function _M.new(links, on_error, shadow, on_shadow)
    return setmetatable({ links = links, on_error = on_error,
        shadow = shadow, on_shadow = on_shadow }, MT)
end

local function give_back(links, keys, taken, last)
    for i = last, 1, -1 do
        if taken[i] then
            links[i].limiter:uncommit(keys[i], taken[i])
        end
    end
end

-- Does what this link said let pass all the same?
local function is_passed_over(self, link, told)
    if told ~= "rejected" then
        self.on_error(link.name, link.passes, told)
        return link.passes
    end
    local is_shadow = self.shadow[link.name]
    if is_shadow then
        self.on_shadow(link.name)
    end
    return is_shadow
end

-- keys: one per limiter, false for one that is not asked; taken: a table that
-- learns what uncommit needs, by limiter, false where nothing was taken. The
-- longest delay; or nil, "rejected" or an error, and the number of the limiter
-- that said so.
function _M:incoming(keys, taken)
    local links, longest = self.links, 0
    for i = 1, #links do
        local link = links[i]
        local key, delay, told = keys[i], nil, nil
        if key then
            delay, told = link.limiter:incoming(key, true)
        end
        if not key then
            taken[i] = false
        elseif delay then
            taken[i] = told or true
            longest = delay > longest and delay or longest
        elseif is_passed_over(self, link, told) then
            taken[i] = false
        else
            give_back(links, keys, taken, i - 1)
            return nil, told, i
        end
    end
    return longest
end

-- Gives back what incoming() took with these tables.
function _M:uncommit(keys, taken)
    give_back(self.links, keys, taken, #self.links)
end

return _M

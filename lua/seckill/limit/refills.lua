-- One job per key at a time in this worker, run in the background, and those
-- who wait for its end.
--
-- A worker waits for its own job only, so a semaphore is enough, no dict is
-- asked again and again, and a killed worker leaves nothing behind. Bounded:
-- as many jobs as keys, WAITERS per job; a job itself is to be bounded in
-- time, and one that never ran (nginx had no timer left) is replaced.

local semaphore = require "ngx.semaphore"

local now = ngx.now

local WAITERS = 1000
local LOST_SECONDS = 1  -- more than any job takes

local _M = {}
local MT = { __index = _M }

-- work(key, job): may yield. It is told how many wait by job.waiting; what it
-- returns, or the error it raised, is job.why.
function _M.new(work)
    return setmetatable({ work = work, jobs = {} }, MT)
end

local function run(_, self, key, job)
    if self.jobs[key] ~= job then  -- never two at a time
        return
    end
    local ok, why = pcall(self.work, key, job)
    if not ok then
        ngx.log(ngx.ERR, "a refill of ", key, " failed: ", why)
    end
    job.why, job.has_ended = why, true
    if self.jobs[key] == job then
        self.jobs[key] = nil
    end
    if job.waiting > 0 then
        job.ended:post(job.waiting)
    end
end

-- Is one under way?
function _M:is_running(key)
    local job = self.jobs[key]
    return job and now() - job.began_at < LOST_SECONDS
end

-- The job under way, or a new one. Only where nginx gives no timer, the
-- caller runs it.
function _M:start(key)
    if self:is_running(key) then
        return self.jobs[key]
    end
    local job = { began_at = now(), waiting = 0, ended = semaphore.new() }
    self.jobs[key] = job
    if not ngx.timer.at(0, run, self, key, job) then
        run(false, self, key, job)
    end
    return job
end

-- Has it ended within the seconds? false also when too many wait already.
function _M.wait(job, seconds)
    if job.has_ended then
        return true
    end
    if job.waiting >= WAITERS or seconds <= 0 then
        return false
    end
    job.waiting = job.waiting + 1
    if job.ended:wait(seconds) then
        return true
    end
    job.waiting = job.waiting - 1
    return job.has_ended or false
end

return _M

std = "ngx_lua"
max_line_length = 80
files["spec"] = { std = "+busted" }

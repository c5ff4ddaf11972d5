-- Real work for Lua. Everything printed has to be the same whatever compiler made the interpreter.
local scale = ...
print(_VERSION, scale)

local function hash(text)
  local h = 0xcbf29ce4
  for i = 1, #text do h = ((h ~ text:byte(i)) * 0x01000193) & 0xffffffff end
  return string.format("%08x", h)
end
local function section(name, work)
  collectgarbage()
  local ok, result = pcall(work)
  print(name, ok, result)
end

section("closures", function()
  local counters = {}
  for i = 1, 100 do
    local n = i
    counters[i] = { up = function(k) n = n + k; return n end, get = function() return n end }
  end
  for round = 1, 200 * scale do
    for i = 1, #counters do counters[i].up(round % 7) end
  end
  local sum = 0
  for _, c in ipairs(counters) do sum = sum + c.get() end
  local function compose(f, g) return function(...) return f(g(...)) end end
  local inc = function(x) return x + 1 end
  local many = inc
  for _ = 1, 100 do many = compose(inc, many) end
  return sum .. " " .. many(5)
end)

section("coroutines", function()
  local function permutations(a, n)
    n = n or #a
    if n <= 1 then coroutine.yield(a) end
    for i = 1, n do
      a[n], a[i] = a[i], a[n]
      permutations(a, n - 1)
      a[n], a[i] = a[i], a[n]
    end
  end
  local parts, count = {}, 0
  for p in coroutine.wrap(function() permutations({ "a", "b", "c", "d", "e", "f", "g" }) end) do
    count = count + 1
    if count % 101 == 0 then parts[#parts + 1] = table.concat(p) end
  end
  local producer = coroutine.create(function(x)
    while true do
      if x > 50 then error("too far at " .. x) end
      x = x + coroutine.yield(x * 2)
    end
  end)
  local total, ok, v = 0, coroutine.resume(producer, 1)
  while ok do total = total + v; ok, v = coroutine.resume(producer, 3) end
  return count .. " " .. hash(table.concat(parts)) .. " " .. total .. " " .. v .. " " .. coroutine.status(producer)
end)

section("continuations", function()
  local co = coroutine.wrap(function()
    return call_with_continuation(function() coroutine.yield("inside") end, 77)
  end)
  local first = co()
  local a, b = co()
  return first .. " " .. a .. " " .. tostring(b) .. " " .. tostring(select(2, call_with_continuation(function() end, 5)))
end)

section("strings", function()
  local out = {}
  for i = 1, 400 * scale do
    out[#out + 1] = string.format("%5d|%-8s|%08.3f|%x|%q|%g|%a", i, ("ab"):rep(i % 5), i / 7, i * 2654435761 & 0xffffffff,
      "li\nne\0" .. i, 2.0 ^ (i % 60 - 30), i / 16)
  end
  local text = table.concat(out, "\n")
  local words = {}
  for w, n in text:gmatch("(%a+)[^%d%a]*(%d+)") do words[w] = (words[w] or 0) + tonumber(n) % 1000 end
  local keys = {}
  for k in pairs(words) do keys[#keys + 1] = k end
  table.sort(keys)
  local s = text:gsub("%d+", function(d) return #d end):gsub("|(%s*)(ab)", "|%2%1"):upper():reverse()
  local found = { text:find("(%d)%1%1"), ("key = value"):match("^(%w+)%s*=%s*(%w+)$"), ("THE (quick) fox"):find("%((%a+)%)"), ("f(a(b)c)d"):match("%b()") }
  local frontier = ("THE (quick) fox"):gsub("%f[%a]%a+", string.lower)
  return hash(text) .. " " .. #keys .. " " .. hash(s) .. " " .. #found .. " " .. frontier
end)

section("packing", function()
  local p = string.pack("<i4 >i2 =I8 f d z s2 b !8 i16", -5, 300, 1 << 60, 1.5, -2.25, "zero", "counted", -128, -7)
  local back = { string.unpack("<i4 >i2 =I8 f d z s2 b !8 i16", p) }
  local utf = utf8.char(72, 228, 8364, 128512)
  local points = {}
  for _, c in utf8.codes(utf) do points[#points + 1] = c end
  return hash(p) .. " " .. table.concat(back, ",") .. " " .. utf .. " " .. table.concat(points, ",") .. " " .. utf8.len(utf)
end)

section("tables", function()
  local t, seed = {}, 42
  for i = 1, 20000 * scale do
    seed = (seed * 1103515245 + 12345) & 0x7fffffff
    t[i] = seed
  end
  table.sort(t)
  local ordered = true
  for i = 2, #t do ordered = ordered and t[i - 1] <= t[i] end
  table.sort(t, function(a, b) return a % 1000 > b % 1000 or (a % 1000 == b % 1000 and a < b) end)
  local sparse = {}
  for i = 1, 2000 do sparse[i * i] = i; sparse["k" .. i] = -i; sparse[i + 0.5] = i / 2 end
  local n, sum = 0, 0
  for _, v in pairs(sparse) do n = n + 1; sum = sum + v end
  local moved = table.move({ 1, 2, 3, 4, 5 }, 2, 5, 4)
  table.insert(moved, 3, "x"); table.remove(moved, 1)
  return tostring(ordered) .. " " .. t[1] .. " " .. t[#t] .. " " .. n .. " " .. sum .. " " .. table.concat(moved, ";") .. " " .. select("#", table.unpack(t, 1, 200))
end)

section("objects", function()
  local V = {}
  V.__index = V
  V.__add = function(a, b) return setmetatable({ x = a.x + b.x, y = a.y + b.y }, V) end
  V.__mul = function(a, b) return type(b) == "number" and setmetatable({ x = a.x * b, y = a.y * b }, V) or a.x * b.x + a.y * b.y end
  V.__eq = function(a, b) return a.x == b.x and a.y == b.y end
  V.__lt = function(a, b) return a * a < b * b end
  V.__le = function(a, b) return a * a <= b * b end
  V.__unm = function(a) return a * -1 end
  V.__len = function(a) return math.floor(math.sqrt(a * a)) end
  V.__call = function(a, k) return a.x * k + a.y end
  V.__tostring = function(a) return string.format("(%g, %g)", a.x, a.y) end
  V.__concat = function(a, b) return tostring(a) .. "~" .. tostring(b) end
  V.__close = function(a) a.closed = true end
  local a = setmetatable({ x = 3, y = 4 }, V)
  local acc = setmetatable({ x = 0, y = 0 }, V)
  for i = 1, 5000 * scale do acc = acc + a * (1 / i) end
  local seen
  do local c <close> = acc; seen = c end
  local proxy = setmetatable({}, { __index = function(_, k) return k .. "?" end, __newindex = function(t, k, v) rawset(t, k, v .. "!") end })
  proxy.name = "set"
  return acc .. -a .. " " .. #a .. " " .. a(2) .. " " .. tostring(a == setmetatable({ x = 3, y = 4 }, V)) .. tostring(a < acc) .. tostring(a <= a)
    .. tostring(seen.closed) .. proxy.name .. proxy.other
end)

section("garbage", function()
  local collected = 0
  local weak = setmetatable({}, { __mode = "k" })
  for mode = 1, 2 do
    collectgarbage(mode == 1 and "generational" or "incremental")
    for i = 1, 3000 * scale do
      local o = setmetatable({ i, { i }, tostring(i) }, { __gc = function() collected = collected + 1 end })
      weak[o] = { o }
    end
  end
  collectgarbage(); collectgarbage()
  return collected .. " " .. tostring(next(weak))
end)

section("mathematics", function()
  local parts = {}
  for i = -20, 20 do
    local x = i * 0.37
    parts[#parts + 1] = string.format("%.12g %.12g %.12g %.12g %d %d %s %s", math.sin(x), math.exp(x), math.fmod(x, 1.3), x // 0.7, i // 3, i % 3,
      math.type(i / 1), tostring(math.tointeger(x)))
  end
  local overflow = math.maxinteger + 1 == math.mininteger
  local sieve, primes = {}, 0
  for i = 2, 30000 * scale do
    if not sieve[i] then
      primes = primes + 1
      for j = i * i, 30000 * scale, i do sieve[j] = true end
    end
  end
  local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
  local inner = 0.0
  for i = 1, 100000 * scale do inner = inner + 1 / (i * i) end
  return hash(table.concat(parts)) .. " " .. tostring(overflow) .. " " .. primes .. " " .. fib(22) .. " " .. string.format("%.14f", inner) .. " "
    .. (0x7fffffffffffffff >> 3) .. " " .. (-1 >> 60) .. " " .. (5 // 0.0) .. " " .. -5 // 0.0 .. " " .. tostring(0/0 ~= 0/0) .. " " .. 7.0 % -3 .. " " .. (3 | 4.0)
end)

section("errors", function()
  local function level(n)
    if n == 0 then error({ code = 42 }) end
    local ok, e = pcall(level, n - 1)
    e.code = e.code + n
    error(e)
  end
  local _, e = pcall(level, 50)
  local messages = {}
  for _, bad in ipairs {
    function() return nil + 1 end, function() return {} .. "x" end, function() return #5 end, function() local t; t.x = 1 end,
    function() return 1 < "2" end, function() return 1 // 0 end, function() string.rep("x", -1)() end, function() error() end,
    function() error("plain", 0) end, function() return math.floor("q") end, function() return ("x"):bad() end,
    function() return 2 ^ 53 | 0.5 end, function() setmetatable(1, {}) end, function() local function f() return f() + f() end f() end,
    function() load("x = = 1", "chunk")() end, function() assert(false, "asserted") end, function() return string.format("%d", "1.5") end,
  } do
    local ok, m = pcall(bad)
    messages[#messages + 1] = tostring(ok) .. ":" .. tostring(m):gsub("table: 0x%x+", "table"):gsub("stack overflow.*", "stack overflow"):sub(1, 100)
  end
  print(table.concat(messages, "\n"))
  local handled = { xpcall(function() error("deep") end, function(m) return "handled " .. m:gsub("^.-:%d+: ", "") end) }
  return e.code .. " " .. tostring(handled[2])
end)

section("load", function()
  local total = 0
  for i = 1, 200 * scale do
    local f = assert(load("local a <const> = ...; local b = {a, " .. i .. ", x = [[s" .. i .. "]]}; goto e; do return 0 end ::e:: return b[1] * b[2] + #b.x"))
    total = total + f(i)
  end
  local dumped = string.dump(function(x) local y = x * 2; return function() y = y + 1; return y end end)
  local g = load(dumped, "d", "b")(20)
  g()
  local env = { print = print, n = 0 }
  load("for i = 10, 1, -3 do n = n + i end", "env", "t", env)()
  return total .. " " .. g() .. " " .. env.n
end)
error("the last error")

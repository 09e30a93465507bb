// This file is long because the scripts share functions and are best understood side by side.
/**
 * Lua scripts that run inside Valkey, each as one atomic step. All keys have the hash tag `{c}`, so that they are in
 * one slot. The time is that of Valkey: the servers' clocks do not matter.
 *
 * `node:<name>` is a hash for a server: `addr`, `until` (when its heartbeat expires, epoch milliseconds), `slots`,
 * `own` (requests that run there without a claim), `drain`, `queued`, `version`. `nodes` lists every name by `until`,
 * `free` the servers with free slots by their number. `claims:<name>` and `tenant:<tenant>` list ids of claims by
 * expiry time, `claim:<id>` is the server of a new claim. `waiting` lists tenants with waiting requests by their turn,
 * `resting` tenants at their limit by the time at which a slot may be free, `turn:<tenant>` is the tenant's next turn,
 * `queue:<tenant>` the ids of its waiting requests in order, `call:<id>` a hash for one request, `calls` all of them by
 * deadline. `sessions` lists names of servers by the number of sessions that live there with or without a client,
 * `track:<tenant> <tracking id>` is the holder of that tracking id.
 */
const common = `
local P = 'bd:{c}:'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- Returns the number of free slots of a server and updates its entry in free, by which it is found.
local function refresh(node)
  local claims = P .. 'claims:' .. node
  redis.call('ZREMRANGEBYSCORE', claims, '-inf', now)
  local known = redis.call('HMGET', P .. 'node:' .. node, 'until', 'drain', 'slots', 'own')
  local free = 0
  if known[1] and tonumber(known[1]) > now and known[2] ~= '1' then
    free = tonumber(known[3]) - tonumber(known[4]) - redis.call('ZCARD', claims)
  end
  if free > 0 then redis.call('ZADD', P .. 'free', free, node) else redis.call('ZREM', P .. 'free', node) end
  return free
end

-- Returns the server with the most free slots, or the preferred server when no other has more; nil when no slot is
-- free. Skips the names in without: servers that could not be reached.
local function pick(preferred, without)
  local at = 0
  while true do
    local best = redis.call('ZREVRANGE', P .. 'free', at, at, 'WITHSCORES')
    if #best == 0 then return nil end
    local own = redis.call('ZSCORE', P .. 'free', preferred)
    local node = (own and tonumber(own) >= tonumber(best[2])) and preferred or best[1]
    if string.find(without, node, 1, true) then at = at + 1
    elseif refresh(node) > 0 then return node end
  end
end

local function tenantFull(tenant, limit)
  if limit <= 0 then return false end
  local key = P .. 'tenant:' .. tenant
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
  return redis.call('ZCARD', key) >= limit
end

local function hold(node, tenant, id, lease)
  local key = P .. 'tenant:' .. tenant
  redis.call('ZADD', P .. 'claims:' .. node, now + lease, id)
  redis.call('PEXPIRE', P .. 'claims:' .. node, lease * 4)
  redis.call('ZADD', key, now + lease, id)
  redis.call('PEXPIRE', key, lease * 4)
end

-- Makes a new claim. The request may be canceled before it knows the server; if so, within seconds.
local function give(node, tenant, id, lease)
  hold(node, tenant, id, lease)
  redis.call('SET', P .. 'claim:' .. id, node, 'PX', 30000)
  refresh(node)
end

-- Queues the tenant for its turn, unless it is queued already: not ahead of tenants that have waited in the meantime.
local function takeTurn(tenant)
  redis.call('ZREM', P .. 'resting', tenant)
  if redis.call('ZSCORE', P .. 'waiting', tenant) then return end
  local turn = math.max(
    tonumber(redis.call('GET', P .. 'turn') or '0'),
    tonumber(redis.call('GET', P .. 'turn:' .. tenant) or '0')
  )
  redis.call('ZADD', P .. 'waiting', turn, tenant)
end

-- Skips a tenant that is at its limit until one of its slots is released or a lease expires.
local function rest(tenant)
  local first = redis.call('ZRANGE', P .. 'tenant:' .. tenant, 0, 0, 'WITHSCORES')
  redis.call('ZREM', P .. 'waiting', tenant)
  redis.call('ZADD', P .. 'resting', first[2], tenant)
end

local function giveBack(node, tenant, id)
  redis.call('DEL', P .. 'claim:' .. id)
  redis.call('ZREM', P .. 'claims:' .. node, id)
  redis.call('ZREM', P .. 'tenant:' .. tenant, id)
  if redis.call('ZSCORE', P .. 'resting', tenant) then takeTurn(tenant) end
  refresh(node)
end

-- Returns the server for a request: the one it names, or the server with the most free slots; nil when there is none.
local function place(preferred, only, without)
  if only ~= '' then return only end
  return pick(preferred, without)
end

local function forget(id)
  local tenant = redis.call('HGET', P .. 'call:' .. id, 'tenant')
  redis.call('DEL', P .. 'call:' .. id)
  redis.call('ZREM', P .. 'calls', id)
  if tenant then
    redis.call('LREM', P .. 'queue:' .. tenant, 1, id)
    if redis.call('LLEN', P .. 'queue:' .. tenant) == 0 then
      redis.call('ZREM', P .. 'waiting', tenant)
      redis.call('ZREM', P .. 'resting', tenant)
    end
  end
end

local function forgetLate()
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', P .. 'calls', '-inf', now, 'LIMIT', 0, 100)) do forget(id) end
end

-- Gives free slots to waiting requests: of the tenant served least by its weight, the oldest request first. When no
-- slot is free, one request may join the queue of a server whose own requests wait too: those would otherwise keep the
-- server busy forever.
local function grant(busy)
  forgetLate()
  local rested = redis.call('ZRANGEBYSCORE', P .. 'resting', '-inf', now, 'LIMIT', 0, 100)
  for _, tenant in ipairs(rested) do takeTurn(tenant) end
  while true do
    local tenant = redis.call('ZRANGE', P .. 'waiting', 0, 0)[1]
    if not tenant then return end
    local id = redis.call('LINDEX', P .. 'queue:' .. tenant, 0)
    local call = id and redis.call('HMGET', P .. 'call:' .. id, 'limit', 'weight', 'asker', 'lease', 'only')
    local asks = call and call[3] and redis.call('HGET', P .. 'node:' .. call[3], 'until')
    if not id then
      redis.call('ZREM', P .. 'waiting', tenant)
    elseif not call[1] then
      redis.call('LPOP', P .. 'queue:' .. tenant)
    elseif not asks or tonumber(asks) <= now then
      forget(id)
    elseif tenantFull(tenant, tonumber(call[1])) then
      rest(tenant)
    else
      local node = place(call[3], call[5], '')
      if not node then node, busy = busy, nil end
      if not node then return end
      give(node, tenant, id, tonumber(call[4]))
      local turn = redis.call('ZSCORE', P .. 'waiting', tenant)
      redis.call('SET', P .. 'turn', turn)
      redis.call('ZADD', P .. 'waiting', turn + 1 / tonumber(call[2]), tenant)
      redis.call('SET', P .. 'turn:' .. tenant, turn + 1 / tonumber(call[2]), 'PX', 86400000)
      forget(id)
      redis.call('PUBLISH', P .. 'to:' .. call[3], cjson.encode({ granted = id, node = node, tenant = tenant }))
    end
  end
end
`;

/**
 * A heartbeat: name, URL, slots, own, queued, drain (0 or 1), version, lifetime in ms, requests that may queue,
 * sessions whose browsers start with a client.
 * @returns the number of live servers
 */
const beat = `${common}
local node, life = ARGV[1], tonumber(ARGV[8])
local key = P .. 'node:' .. node
redis.call('HSET', key, 'addr', ARGV[2], 'slots', ARGV[3], 'own', ARGV[4], 'queued', ARGV[5], 'drain', ARGV[6],
  'version', ARGV[7], 'until', now + life, 'mayQueue', ARGV[9])
redis.call('PEXPIRE', key, 86400000)
if ARGV[6] == '1' then
  redis.call('ZREM', P .. 'sessions', node)
else
  redis.call('ZADD', P .. 'sessions', ARGV[10], node)
end
redis.call('ZADD', P .. 'nodes', now + life, node)
redis.call('ZREMRANGEBYSCORE', P .. 'nodes', '-inf', now)
refresh(node)
local queued = tonumber(ARGV[5])
grant(ARGV[6] ~= '1' and queued > 0 and queued < tonumber(ARGV[9]) and node or nil)
-- This message shows the server that messages reach it.
redis.call('PUBLISH', P .. 'to:' .. node, '{}')
return redis.call('ZCOUNT', P .. 'nodes', now, '+inf')
`;

/**
 * Claims a slot: tenant, its limit (0 for none), id, lease in ms, preferred server, limit on the tenant's waiting
 * requests, limit on all waiting requests, time to wait in ms, weight, requesting server, the only server that may
 * serve the request or an empty string, names of servers that could not be reached.
 * @returns ['ok', node, addr], ['wait'], ['quota', running, waiting] or ['full']
 */
const claim = `${common}
local tenant, limit, id, lease, preferred = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]), ARGV[5]
local tenantWaits, allWait, patience, weight, asker = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8]), ARGV[9], ARGV[10]
local only, without = ARGV[11], ARGV[12]
forgetLate()
local full = tenantFull(tenant, limit)
local node = not full and place(preferred, only, without)
if node then
  give(node, tenant, id, lease)
  return { 'ok', node, redis.call('HGET', P .. 'node:' .. node, 'addr') }
end
if redis.call('LLEN', P .. 'queue:' .. tenant) >= tenantWaits then 
  if not full then return { 'full' } end
  return { 'quota', redis.call('ZCARD', P .. 'tenant:' .. tenant), redis.call('LLEN', P .. 'queue:' .. tenant) }
end
if redis.call('ZCARD', P .. 'calls') >= allWait then return { 'full' } end
redis.call('HSET', P .. 'call:' .. id, 'tenant', tenant, 'limit', limit, 'weight', weight, 'asker', asker, 'lease', lease, 'only', only)
redis.call('PEXPIRE', P .. 'call:' .. id, patience + 1000)
redis.call('ZADD', P .. 'calls', now + patience, id)
redis.call('RPUSH', P .. 'queue:' .. tenant, id)
redis.call('PEXPIRE', P .. 'queue:' .. tenant, patience + 60000)
takeTurn(tenant)
return { 'wait' }
`;

/** Releases a claim: node, tenant, id. */
const release = `${common}
giveBack(ARGV[1], ARGV[2], ARGV[3])
grant()
return 1
`;

/** Removes a request that no longer waits, even if it has just been granted a slot: id, tenant. */
const leave = `${common}
local id, tenant = ARGV[1], ARGV[2]
forget(id)
local node = redis.call('GET', P .. 'claim:' .. id)
if node then
  giveBack(node, tenant, id)
  grant()
end
return 1
`;

/** Renews claims, including those that Valkey has lost: node, lease in ms, then tenant and id of each. */
const renew = `${common}
for i = 3, #ARGV, 2 do hold(ARGV[1], ARGV[i], ARGV[i + 1], tonumber(ARGV[2])) end
refresh(ARGV[1])
return 1
`;

/**
 * Picks the server with the fewest sessions and counts one more session for it: name of the preferred server.
 * @returns nil when there is none
 */
const place = `${common}
local sessions = P .. 'sessions'
while true do
  local least = redis.call('ZRANGE', sessions, 0, 0, 'WITHSCORES')
  if #least == 0 then return false end
  local own = redis.call('ZSCORE', sessions, ARGV[1])
  local node = own and tonumber(own) <= tonumber(least[2]) and ARGV[1] or least[1]
  local known = redis.call('HGET', P .. 'node:' .. node, 'until')
  if known and tonumber(known) > now then
    redis.call('ZINCRBY', sessions, 1, node)
    return node
  end
  redis.call('ZREM', sessions, node)
end
`;

/**
 * Holds tracking ids for their holders: lease in ms, then name and holder of each.
 * @returns how many of them no other session holds
 */
const track = `${common}
local held = 0
for i = 2, #ARGV, 2 do
  local key = P .. 'track:' .. ARGV[i]
  local holder = redis.call('GET', key)
  if not holder or holder == ARGV[i + 1] then
    redis.call('SET', key, ARGV[i + 1], 'PX', ARGV[1])
    held = held + 1
  end
end
return held
`;

/** Releases a tracking id: name, holder. */
const untrack = `${common}
local key = P .. 'track:' .. ARGV[1]
if redis.call('GET', key) == ARGV[2] then redis.call('DEL', key) end
return 1
`;

/** Checks ids of waiting requests. @returns the ids that Valkey does not know */
const lost = `${common}
local unknown = {}
for i = 1, #ARGV do
  if redis.call('EXISTS', P .. 'call:' .. ARGV[i], P .. 'claim:' .. ARGV[i]) == 0 then table.insert(unknown, ARGV[i]) end
end
return unknown
`;

/** Whether the heartbeat of a server is current: name. @returns 1 or 0 */
const beats = `${common}
local known = redis.call('HGET', P .. 'node:' .. ARGV[1], 'until')
return known and tonumber(known) > now and 1 or 0
`;

/** Removes a server that leaves: name. */
const part = `${common}
redis.call('DEL', P .. 'node:' .. ARGV[1], P .. 'claims:' .. ARGV[1])
redis.call('ZREM', P .. 'sessions', ARGV[1])
redis.call('ZREM', P .. 'nodes', ARGV[1])
redis.call('ZREM', P .. 'free', ARGV[1])
return 1
`;

/** Lists names and URLs alternately, for the servers with a current heartbeat. */
const members = `${common}
local found = {}
for _, node in ipairs(redis.call('ZRANGEBYSCORE', P .. 'nodes', '(' .. now, '+inf')) do
  table.insert(found, node)
  table.insert(found, redis.call('HGET', P .. 'node:' .. node, 'addr') or '')
end
return found
`;

/**
 * Picks the better of two other servers chosen at random: name of the requesting server. @returns nil when neither has
 * room
 */
const better = `${common}
local best, room = false, 0
for _, node in ipairs(redis.call('ZRANDMEMBER', P .. 'nodes', 3)) do
  local known = redis.call('HMGET', P .. 'node:' .. node, 'until', 'drain', 'slots', 'own', 'queued', 'mayQueue')
  if node ~= ARGV[1] and known[1] and tonumber(known[1]) > now and known[2] ~= '1' then
    local left = tonumber(known[3]) - tonumber(known[4]) - redis.call('ZCARD', P .. 'claims:' .. node)
      + tonumber(known[6]) - tonumber(known[5])
    if left > room then best, room = node, left end
  end
end
return best
`;

export const scripts = {
  better,
  beat,
  beats,
  claim,
  release,
  leave,
  lost,
  renew,
  part,
  place,
  members,
  track,
  untrack,
} as const;
export type ScriptName = keyof typeof scripts;

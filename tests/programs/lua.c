/* A small stand-alone interpreter: runs the script named first, with a number as its argument. */
#include <stdio.h>
#include <stdlib.h>
#include "lua.h"
#include "lauxlib.h"
#include "lualib.h"

static int with_traceback(lua_State *L) {
    const char *message = lua_tostring(L, 1);
    luaL_traceback(L, L, message ? message : "(no message)", 1);
    return 1;
}

/* Calls a Lua function from C and yields across the call, to exercise continuations. */
static int resumed(lua_State *L, int status, lua_KContext context) {
    lua_pushinteger(L, (lua_Integer)context);
    lua_pushboolean(L, status == LUA_YIELD);
    return 2;
}

static int call_with_continuation(lua_State *L) {
    lua_KContext context = (lua_KContext)luaL_checkinteger(L, 2);
    lua_settop(L, 1);
    lua_callk(L, 0, 0, context, resumed);
    return resumed(L, LUA_OK, context);
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    lua_State *L = luaL_newstate();
    if (!L) return 3;
    luaL_openlibs(L);
    lua_register(L, "call_with_continuation", call_with_continuation);
    lua_pushcfunction(L, with_traceback);
    int result = luaL_loadfile(L, argv[1]);
    if (result == LUA_OK) {
        lua_pushinteger(L, argc > 2 ? atoi(argv[2]) : 1);
        result = lua_pcall(L, 1, 0, 1);
    }
    if (result != LUA_OK) printf("error: %s\n", lua_tostring(L, -1));
    lua_close(L);
    return result;
}

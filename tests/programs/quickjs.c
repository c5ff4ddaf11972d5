/* A small JavaScript shell: evaluates the file named first, then runs pending jobs. `print` writes a line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "quickjs.h"

static JSValue print(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value;
    for (int i = 0; i < argc; i++) {
        size_t length;
        const char *text = JS_ToCStringLen(ctx, &length, argv[i]);
        if (!text) return JS_EXCEPTION;
        if (i) putchar(' ');
        fwrite(text, 1, length, stdout);
        JS_FreeCString(ctx, text);
    }
    putchar('\n');
    return JS_UNDEFINED;
}

static void report(JSContext *ctx) {
    JSValue e = JS_GetException(ctx);
    const char *text = JS_ToCString(ctx, e);
    printf("exception: %s\n", text ? text : "?");
    if (text) JS_FreeCString(ctx, text);
    JSValue stack = JS_GetPropertyStr(ctx, e, "stack");
    if (!JS_IsUndefined(stack) && (text = JS_ToCString(ctx, stack))) {
        printf("%s", text);
        JS_FreeCString(ctx, text);
    }
    JS_FreeValue(ctx, stack);
    JS_FreeValue(ctx, e);
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    FILE *f = fopen(argv[1], "rb");
    if (!f) return 3;
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    char *source = malloc((size_t)size + 1);
    if (!source || fread(source, 1, (size_t)size, f) != (size_t)size) return 4;
    source[size] = 0;
    fclose(f);

    JSRuntime *rt = JS_NewRuntime();
    JS_SetMaxStackSize(rt, 4 << 20);
    JSContext *ctx = JS_NewContext(rt);
    JSValue global = JS_GetGlobalObject(ctx);
    JS_SetPropertyStr(ctx, global, "print", JS_NewCFunction(ctx, print, "print", 1));
    JS_SetPropertyStr(ctx, global, "scale", JS_NewInt32(ctx, argc > 2 ? atoi(argv[2]) : 1));
    JSValue v = JS_Eval(ctx, source, (size_t)size, "work.js", JS_EVAL_TYPE_GLOBAL);
    if (JS_IsException(v)) report(ctx);
    JS_FreeValue(ctx, v);
    JSContext *job;
    int state;
    while ((state = JS_ExecutePendingJob(rt, &job)) != 0)
        if (state < 0) report(job);
    JS_FreeValue(ctx, global);
    JS_FreeContext(ctx);
    JS_FreeRuntime(rt);
    free(source);
    return 0;
}

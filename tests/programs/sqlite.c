/* Real work for sqlite: SQL scripts, prepared statements, incremental blobs, user functions and collations, a backup,
   a virtual table, full-text search, JSON, window functions, savepoints and a vacuum. Prints what it finds. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sqlite3.h"

static sqlite3 *db;
static int scale = 1;

static void die(const char *what) {
    printf("failed: %s: %s\n", what, sqlite3_errmsg(db));
    exit(1);
}

static uint64_t hash_bytes(uint64_t h, const void *data, size_t n) {
    const unsigned char *p = data;
    while (n--) h = (h ^ *p++) * 0x100000001b3u;
    return h;
}

static void run(const char *sql) {
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) {
        printf("error: %s (in: %.60s)\n", message, sql);
        sqlite3_free(message);
    }
}

/* Prints the first rows of a query and a hash over all of them. */
static void query(const char *title, const char *sql) {
    sqlite3_stmt *s;
    int rows = 0;
    uint64_t h = 0xcbf29ce484222325u;
    printf("-- %s\n", title);
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK) {
        printf("error: %s\n", sqlite3_errmsg(db));
        return;
    }
    int step;
    while ((step = sqlite3_step(s)) == SQLITE_ROW) {
        int columns = sqlite3_column_count(s);
        for (int i = 0; i < columns; i++) {
            int type = sqlite3_column_type(s, i);
            const char *text = (const char *)sqlite3_column_text(s, i);
            int bytes = sqlite3_column_bytes(s, i);
            h = hash_bytes(h, &type, sizeof type);
            h = hash_bytes(h, text ? text : "", (size_t)bytes);
            if (rows < 8) printf("%s%.60s", i ? " | " : "   ", text ? text : "NULL");
        }
        if (rows < 8) printf("\n");
        rows++;
    }
    if (step != SQLITE_DONE) printf("error: %s\n", sqlite3_errmsg(db));
    sqlite3_finalize(s);
    printf("   %d rows, hash %016llx\n", rows, (unsigned long long)h);
}

static void collatz(sqlite3_context *context, int n, sqlite3_value **values) {
    (void)n;
    int64_t v = sqlite3_value_int64(values[0]), steps = 0;
    while (v > 1) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        steps++;
    }
    sqlite3_result_int64(context, steps);
}

struct moments {
    double n, mean, m2;
};

static void variance_step(sqlite3_context *context, int n, sqlite3_value **values) {
    (void)n;
    struct moments *m = sqlite3_aggregate_context(context, sizeof *m);
    double x = sqlite3_value_double(values[0]), d = x - m->mean;
    m->n += 1;
    m->mean += d / m->n;
    m->m2 += d * (x - m->mean);
}

static void variance_final(sqlite3_context *context) {
    struct moments *m = sqlite3_aggregate_context(context, sizeof *m);
    sqlite3_result_double(context, m->n > 1 ? m->m2 / (m->n - 1) : 0.0);
}

static int by_last_letter(void *unused, int na, const void *a, int nb, const void *b) {
    (void)unused;
    const char *x = a, *y = b;
    int d = (na ? x[na - 1] : 0) - (nb ? y[nb - 1] : 0);
    if (d) return d;
    int n = na < nb ? na : nb, c = memcmp(x, y, (size_t)n);
    return c ? c : na - nb;
}

static int updates;
static void on_update(void *unused, int op, const char *database, const char *table, sqlite3_int64 row) {
    (void)unused, (void)op, (void)database, (void)table, (void)row;
    updates++;
}

static void fill(void) {
    sqlite3_stmt *s;
    uint32_t r = 12345;
    static const char *const words[] = {"amber", "birch", "copper", "delta", "ember", "fjord", "grove", "harbour"};
    run("CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, kind INT, price REAL, data BLOB);"
        "CREATE TABLE kind(id INTEGER PRIMARY KEY, title TEXT UNIQUE, parent INT REFERENCES kind);"
        "CREATE TABLE log(item INT, note TEXT, PRIMARY KEY(item, note)) WITHOUT ROWID;"
        "CREATE TRIGGER t AFTER UPDATE OF price ON item BEGIN"
        "  INSERT OR IGNORE INTO log VALUES(new.id, printf('%.2f to %.2f', old.price, new.price)); END;");
    run("BEGIN");
    if (sqlite3_prepare_v2(db, "INSERT INTO item(name, kind, price, data) VALUES(?1, ?2, ?3, ?4)", -1, &s, NULL)) die("prepare");
    for (int i = 0; i < 4000 * scale; i++) {
        char name[64];
        unsigned char data[48];
        r = r * 1664525u + 1013904223u;
        snprintf(name, sizeof name, "%s %s %u", words[r >> 29], words[(r >> 20) & 7], (r >> 8) & 1023);
        for (size_t k = 0; k < sizeof data; k++) data[k] = (unsigned char)(r >> (k % 24));
        sqlite3_bind_text(s, 1, name, -1, SQLITE_TRANSIENT);
        sqlite3_bind_int(s, 2, (int)(r % 17));
        sqlite3_bind_double(s, 3, (double)(r % 100000) / 97.0);
        sqlite3_bind_blob(s, 4, data, (int)(r % sizeof data), SQLITE_TRANSIENT);
        if (sqlite3_step(s) != SQLITE_DONE) die("insert");
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    for (int i = 0; i < 17; i++) {
        char *sql = sqlite3_mprintf("INSERT INTO kind VALUES(%d, %Q, nullif(%d, 0))", i, words[i % 8], i / 2);
        if (i >= 8) {
            sqlite3_free(sql);
            sql = sqlite3_mprintf("INSERT INTO kind VALUES(%d, '%q''s %d', %d)", i, words[i % 8], i, i / 2);
        }
        run(sql);
        sqlite3_free(sql);
    }
    run("COMMIT; CREATE INDEX item_kind ON item(kind, price); CREATE INDEX item_name ON item(name COLLATE NOCASE); ANALYZE");
}

static void blobs(void) {
    sqlite3_blob *blob;
    unsigned char buffer[1000];
    uint64_t h = 1;
    run("CREATE TABLE big(id INTEGER PRIMARY KEY, b BLOB); INSERT INTO big VALUES(1, zeroblob(200000))");
    if (sqlite3_blob_open(db, "main", "big", "b", 1, 1, &blob)) die("blob");
    for (int i = 0; i < 200; i++) {
        for (int k = 0; k < 1000; k++) buffer[k] = (unsigned char)(i * k + (k >> 3));
        if (sqlite3_blob_write(blob, buffer, 1000, i * 1000)) die("write");
    }
    for (int i = 199; i >= 0; i--) {
        if (sqlite3_blob_read(blob, buffer, 1000, i * 1000)) die("read");
        h = hash_bytes(h, buffer, 1000);
    }
    printf("-- blob of %d bytes, hash %016llx\n", sqlite3_blob_bytes(blob), (unsigned long long)h);
    sqlite3_blob_close(blob);
}

static void backup(void) {
    sqlite3 *copy, *original = db;
    if (sqlite3_open(":memory:", &copy)) die("open copy");
    sqlite3_backup *b = sqlite3_backup_init(copy, "main", db, "main");
    if (!b) die("backup");
    int steps = 0;
    while (sqlite3_backup_step(b, 50) == SQLITE_OK) steps++;
    sqlite3_backup_finish(b);
    printf("-- backup in %d steps\n", steps > 0);
    db = copy;
    query("rows of the copy", "SELECT count(*), sum(length(data)), round(sum(price), 3) FROM item");
    db = original;
    sqlite3_close(copy);
}

int main(int argc, char **argv) {
    const char *file = argc > 1 ? argv[1] : ":memory:";
    if (argc > 2) scale = atoi(argv[2]);
    if (sqlite3_open(file, &db) != SQLITE_OK) die("open");
    printf("sqlite %s, thread-safe %d\n", sqlite3_libversion(), sqlite3_threadsafe());
    sqlite3_create_function(db, "collatz", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, collatz, NULL, NULL);
    sqlite3_create_function(db, "variance", 1, SQLITE_UTF8, NULL, NULL, variance_step, variance_final);
    sqlite3_create_collation(db, "ending", SQLITE_UTF8, NULL, by_last_letter);
    sqlite3_update_hook(db, on_update, NULL);
    run("PRAGMA page_size=1024; PRAGMA journal_mode=MEMORY; PRAGMA foreign_keys=ON; PRAGMA cache_size=300");
    fill();

    query("aggregates", "SELECT kind, count(*), round(avg(price), 6), min(name), max(length(data)), total(price) FROM item GROUP BY kind");
    query("join", "SELECT a.name, k.title, p.title FROM item a JOIN kind k ON k.id = a.kind LEFT JOIN kind p ON p.id = k.parent "
                  "WHERE a.price BETWEEN 100 AND 200 ORDER BY a.price DESC, a.id");
    query("self join", "SELECT count(*), sum(a.price - b.price) FROM item a, item b WHERE a.kind = b.kind AND a.id < b.id AND b.id % 50 = 0");
    query("recursive", "WITH RECURSIVE up(id, title, depth) AS (SELECT id, title, 0 FROM kind WHERE parent IS NULL UNION ALL "
                       "SELECT k.id, up.title || '/' || k.title, depth + 1 FROM kind k JOIN up ON k.parent = up.id) SELECT * FROM up ORDER BY title");
    query("window", "SELECT id, kind, rank() OVER w, sum(price) OVER (w ROWS BETWEEN 3 PRECEDING AND CURRENT ROW), "
                    "lag(name, 2, '-') OVER w, ntile(5) OVER w FROM item WINDOW w AS (PARTITION BY kind ORDER BY price, id) ORDER BY kind, price, id");
    query("text", "SELECT upper(name), substr(name, -4, 3), replace(name, 'o', '0'), instr(name, 'e'), trim(name, 'a'), hex(name), "
                  "quote(data), unicode(name), char(955, 8364, 128512), printf('%08.3f|%-6d|%+e|%x', price, id, price, id) FROM item WHERE id % 400 = 1");
    query("patterns", "SELECT name FROM item WHERE name LIKE '%er D%1_' OR name GLOB '[a-c]*[^0-4]' ORDER BY name COLLATE ending, id LIMIT 300");
    query("mathematics", "SELECT id, round(sqrt(price), 9), round(sin(id), 9), round(pow(price, 0.3), 9), round(ln(id), 9), id / 7, id % 7, "
                         "id << 3, id >> 1, ~id, id & 255, -id / 2.0, floor(price), abs(100 - price) FROM item WHERE id <= 300");
    query("casts", "SELECT CAST('12abc' AS INT), CAST(1e300 AS INT), CAST('-0x10' AS INT), 1e308 * 10, -1e308 * 10, 9223372036854775807 + 1, "
                   "0.1 + 0.2, 1.0 / 3, CAST(123456789012345678 AS REAL), '1e3' + 1, 5 / 0, typeof(1 / 2), 1e-320, 123456.789e-5, 4.35, 2.675");
    query("own functions", "SELECT collatz(27), max(collatz(id)), round(variance(price), 6) FROM item");
    query("dates", "SELECT date('2024-02-29', '+1 year', '-1 day'), julianday('1999-12-31 23:59:59'), strftime('%j %W %s', '2020-03-01'), "
                   "datetime(1700000000, 'unixepoch', 'weekday 0'), time('12:00', '-30.5 minutes')");
    query("json", "SELECT json_extract(j, '$.a[2].b'), json_type(j, '$.c'), json_set(j, '$.d', json('[1,2.5,null]')), json_array_length(j, '$.a') "
                  "FROM (SELECT '{\"a\":[1,2,{\"b\":\"x\\u00e9y\"}],\"c\":-1.5e3}' AS j)");
    query("json tables", "SELECT key, value, type, fullkey FROM json_tree('{\"p\":{\"q\":[true,false,null,1.25,\"s\"]},\"r\":[[],{}]}')");
    query("json groups", "SELECT kind, json_group_array(round(price)), json_group_object(id, name) FROM item WHERE id < 60 GROUP BY kind");
    query("compound", "SELECT kind FROM item WHERE price < 50 INTERSECT SELECT id FROM kind WHERE parent IS NOT NULL EXCEPT SELECT 3 UNION SELECT 99 ORDER BY 1");
    query("subqueries", "SELECT title, (SELECT name FROM item WHERE kind = kind.id ORDER BY price LIMIT 1 OFFSET 2) FROM kind WHERE EXISTS "
                        "(SELECT 1 FROM item WHERE kind = kind.id AND price > 1000) OR id IN (SELECT kind FROM item GROUP BY kind HAVING count(*) > 240)");
    run("BEGIN; UPDATE item SET price = price * 1.1 WHERE kind IN (1, 3, 5); SAVEPOINT s; DELETE FROM item WHERE kind = 7; "
        "UPDATE item SET name = NULL; ROLLBACK TO s; RELEASE s; DELETE FROM item WHERE kind = 11; COMMIT");
    query("after transactions", "SELECT count(*), sum(price > 500), count(name), (SELECT count(*) FROM log) FROM item");
    run("BEGIN; DELETE FROM item; ROLLBACK");
    run("INSERT INTO kind VALUES(1, 'again', NULL)");
    run("INSERT INTO kind VALUES(100, 'orphan', 5000)");
    run("INSERT INTO kind VALUES(1, 'upserted', NULL) ON CONFLICT(id) DO UPDATE SET title = title || '+' || excluded.title");
    run("SELECT nonsense FROM item");
    run("CREATE TABLE bad(");
    query("kinds", "SELECT * FROM kind ORDER BY title DESC");
    query("returning", "DELETE FROM log WHERE item % 2 = 0 RETURNING item, note");
    query("plan", "EXPLAIN QUERY PLAN SELECT * FROM item i JOIN kind k ON k.id = i.kind WHERE i.kind = 3 AND i.price > 5 ORDER BY i.price");
    run("CREATE VIRTUAL TABLE words USING fts5(name, content='item', content_rowid='id'); INSERT INTO words(words) VALUES('rebuild')");
    query("full text", "SELECT rowid, highlight(words, 0, '<', '>'), round(bm25(words), 6) FROM words WHERE words MATCH 'amber NOT (birch OR fjord)' "
                       "ORDER BY rank, rowid LIMIT 200");
    run("CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1, y0, y1);"
        "INSERT INTO boxes SELECT id, price, price + 3, kind * 10, kind * 10 + 4 FROM item WHERE id < 1500");
    query("boxes", "SELECT id, round(x0, 3), y1 FROM boxes WHERE x0 > 300 AND x1 < 500 AND y0 BETWEEN 20 AND 90 ORDER BY id");
    query("generated", "SELECT value, value * value, sum(value) OVER (ORDER BY value) FROM (WITH RECURSIVE c(value) AS "
                       "(SELECT 1 UNION ALL SELECT value + 1 FROM c WHERE value < 2000) SELECT value FROM c)");
    blobs();
    run("DROP INDEX item_name; DELETE FROM item WHERE id % 3 = 0; VACUUM; REINDEX");
    query("integrity", "PRAGMA integrity_check");
    query("pages", "PRAGMA page_count");
    backup();
    printf("-- %d row changes seen, %d total, last id %lld\n", updates, sqlite3_total_changes(db), (long long)sqlite3_last_insert_rowid(db));
    printf("-- memory %s\n", sqlite3_memory_used() > 0 ? "in use" : "none");
    if (sqlite3_close(db) != SQLITE_OK) die("close");
    printf("-- memory %s at the end\n", sqlite3_memory_used() > 0 ? "in use" : "none");
    return 0;
}

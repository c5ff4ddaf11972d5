// Real work for QuickJS. Everything printed has to be the same whatever compiler made the engine.
"use strict";
function hash(text) {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return h.toString(16);
}
function section(name, work) {
  try { print(name, work()); } catch (e) { print(name, "threw", e instanceof Error ? e.name + ": " + e.message : e); }
}

section("regular expressions", () => {
  const text = Array.from({ length: 60 * scale }, (_, i) => `user${i}@host-${i % 7}.example.org, ${2000 + i % 30}-0${1 + i % 9}-1${i % 9} #${(i * 7919).toString(16)}`).join("\n");
  const mails = [...text.matchAll(/(?<name>[a-z]+\d+)@((?:[\w-]+\.)+)(org|com)/gu)].map((m) => m.groups.name + m[2].length);
  const dates = text.replace(/(\d{4})-(\d\d)-(\d\d)/g, (_, y, m, d) => `${d}.${m}.${y}`);
  const look = text.match(/(?<=#)[0-9a-f]+(?=\n)/g).length;
  const lazy = "<<a><b>>".match(/<.+?>/)[0] + "aaa".replace(/a{2}?/y, "b") + /^(?:(a+)+)$/.test("aaaaaaaaaaaaab");
  const uni = "naïve Ωmega ЖЖ 漢字".match(/\p{Lu}\p{L}+|\p{Script=Han}+/gu).join();
  return [hash(mails.join()), hash(dates), look, lazy, uni, /(\w)\1/.exec("hello")[0], "a1b22".split(/(\d+)/).join("|"), "ǅ".toLowerCase(), "ß".toUpperCase()].join(" ");
});

section("big integers", () => {
  let f = 1n;
  for (let i = 1n; i <= 150n * BigInt(scale); i++) f *= i;
  const s = f.toString();
  let a = 0n, b = 1n;
  for (let i = 0; i < 800; i++) [a, b] = [b, a + b];
  const q = f / (a + 1n), r = f % (a + 1n);
  return [s.length, hash(s), hash(a.toString(16)), q * (a + 1n) + r === f, (-7n) / 2n, (-7n) % 2n, -5n >> 1n, (1n << 200n) - 1n & 0xffffn, BigInt.asIntN(8, 255n),
    BigInt.asUintN(64, -1n), 3n ** 77n, hash((f ^ a | b).toString(7)), BigInt("0x" + "f".repeat(40)).toString(36)].join(" ");
});

section("json", () => {
  const o = { list: Array.from({ length: 200 * scale }, (_, i) => ({ i, s: "n" + i, f: i / 3, n: null, b: i % 2 === 0, deep: [[i], { x: [i, -i] }] })), esc: "\u0000\"\\\n\ud83d\ude00\ud800" };
  const t = JSON.stringify(o), back = JSON.parse(t, (k, v) => (k === "f" ? Math.round(v * 1e6) : v));
  return [t.length, hash(t), hash(JSON.stringify(back, null, 2)), JSON.stringify({ a: [undefined, () => 1, NaN], toJSON() { return { z: 1e21 }; } })].join(" ");
});

section("closures and classes", () => {
  class Shape { #id; static count = 0; constructor(id) { this.#id = id; Shape.count++; } get id() { return this.#id; } area() { return 0; } toString() { return `${this.constructor.name}#${this.id}:${this.area().toFixed(3)}`; } }
  class Circle extends Shape { constructor(id, r) { super(id); this.r = r; } area() { return Math.PI * this.r ** 2; } }
  class Square extends Shape { constructor(id, a) { super(id); this.a = a; } area() { return this.a * this.a; } toString() { return "[" + super.toString() + "]"; } }
  const shapes = [];
  for (let i = 0; i < 300 * scale; i++) shapes.push(i % 3 ? new Circle(i, i / 10) : new Square(i, i / 4));
  const fs = shapes.map((s, i) => (k) => s.area() * k + i);
  const total = fs.reduce((t, f, i) => t + f(i % 5), 0);
  const curry = (f) => (...a) => (a.length >= f.length ? f(...a) : (...b) => curry(f)(...a, ...b));
  return [Shape.count, total.toFixed(6), hash(shapes.join()), curry((a, b, c) => a * 100 + b * 10 + c)(1)(2)(3)].join(" ");
});

section("generators", () => {
  function* tree(n) { if (n > 0) { yield* tree(n - 1); const got = yield n; if (got) yield got * 2; yield* tree(n - 1); } }
  let sum = 0, count = 0;
  for (const v of tree(11)) { sum += v; count++; }
  const g = (function* () { try { while (true) yield 1; } finally { yield "cleaned"; } })();
  g.next();
  const end = g.return(9).value;
  const lazy = { *[Symbol.iterator]() { let [a, b] = [0, 1]; for (;;) { yield a; [a, b] = [b, a + b]; } } };
  const [p, , q, ...rest] = { [Symbol.iterator]: () => [10, 20, 30, 40, 50][Symbol.iterator]() };
  const first = [];
  for (const v of lazy) { if (v > 1e6) break; first.push(v); }
  return [count, sum, end, first.length, first.at(-1), p, q, rest].join(" ");
});

section("dates", () => {
  const out = [];
  for (const t of [0, 1e12, -1e12, 951782400000, 8.64e15, 1234567890123]) {
    const d = new Date(t);
    out.push(d.toISOString(), d.getUTCDay(), d.toUTCString(), d.toJSON());
  }
  out.push(Date.UTC(2024, 1, 29, 23, 59, 59, 999), Date.parse("2011-10-10T14:48:00.000+09:00"), new Date(NaN).getTime(), new Date(Date.UTC(2023, 14, 35)).toISOString());
  return out.join(" ");
});

section("numbers", () => {
  const out = [];
  for (const x of [0, -0, 1 / 3, 1e21, 1e-7, 123456789.125, 5e-324, 1.7976931348623157e308, 0.1 + 0.2, 2 ** 53, -1.5e-10, 4.35, 1.005])
    out.push(String(x), x.toFixed(4), x.toExponential(5), x.toPrecision(9), x.toString(2).slice(0, 40), x | 0, x >>> 0, Math.fround(x), Math.trunc(x), Math.sign(x), Math.round(x));
  for (const s of ["12.5e3", "0x1F", "  7 ", "1_0", "", "Infinity", "1e1000", "0b101", "9007199254740993"]) out.push(Number(s), parseFloat(s), parseInt(s));
  let x = 0.5;
  for (let i = 0; i < 20000 * scale; i++) x = 3.9 * x * (1 - x);
  out.push(x, Math.hypot(3, 4, 12), Math.clz32(1000), Math.cbrt(27), Math.atan2(-1, -1).toFixed(12), Math.imul(0xffffffff, 5), (-7) % 3, 2 ** -1074, Math.max(), 7 / 0);
  return hash(out.join()) + " " + out.slice(0, 24).join(" ");
});

section("strings and arrays", () => {
  const words = Array.from({ length: 3000 * scale }, (_, i) => String.fromCharCode(97 + ((i * 7) % 26)) + ((i * 2654435761) >>> 8).toString(36));
  const sorted = [...words].sort(), by = words.toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1));
  const m = new Map();
  for (const w of words) m.set(w[0], (m.get(w[0]) ?? 0) + w.length);
  const set = new Set(words.map((w) => w.slice(1, 3)));
  const t = new Float64Array(words.map((w) => w.length / 3)), u8 = new Uint8ClampedArray([300, -5, 1.5, 2.5]), dv = new DataView(new ArrayBuffer(16));
  dv.setFloat32(1, 3.14159); dv.setInt16(6, -2, true); dv.setBigUint64(8, 0x123456789abcdefn);
  return [hash(sorted.join()), hash(by.join()), [...m].sort().join(";"), set.size, t.reduce((a, b) => a + b).toFixed(6), u8.join(), new Uint8Array(dv.buffer).join(),
    "abc".padStart(7, "12").padEnd(9, "-"), "x".repeat(3), [3, [1, [2, [4]]]].flat(Infinity).join(), [1, 2, 3, 4].copyWithin(1, 2).join(), "é".normalize("NFD").length,
    Object.entries({ b: 1, 2: 2, a: 3, 1: 4 }).join("|"), [1, 2, 3].includes(NaN), `${[1, [2, 3]]}`, "a-b-c".replaceAll("-", "$&$&"), "𝒳y".codePointAt(0), [..."𝒳y"].length].join(" ");
});

section("exceptions", () => {
  const out = [];
  function thrower(n) { try { if (n === 0) throw new RangeError("bottom"); thrower(n - 1); } catch (e) { e.depth = (e.depth ?? 0) + 1; throw e; } finally { out.length++; } }
  try { thrower(40); } catch (e) { out.push(e.name, e.depth); }
  for (const bad of [() => null.x, () => undefinedName, () => (1)(), () => { "use strict"; Object.freeze([1]).push(2); }, () => new Array(-1), () => JSON.parse("{bad"),
    () => 1n + 1, () => { let q = q; }, () => Symbol() + "", () => [].reduce((a) => a), () => decodeURIComponent("%"), () => new RegExp("("), () => "x".repeat(-1),
    () => { const r = () => r() + 1; r(); }, () => { class A { constructor() { this.x; } } A(); }, () => eval("1 +"), () => structuredClone])
    try { bad(); out.push("nothing"); } catch (e) { out.push(`${e.name}: ${e.message}`.slice(0, 70)); }
  return out.filter(Boolean).join("\n  ");
});

section("proxies", () => {
  const log = [];
  const p = new Proxy({ a: 1 }, { get: (t, k, r) => (log.push("get " + String(k)), Reflect.get(t, k, r)), has: (t, k) => (log.push("has " + String(k)), k in t), deleteProperty: () => true, ownKeys: () => ["a", "z"] });
  p.a; "q" in p; delete p.a;
  const o = { get x() { return this.y * 2; }, set x(v) { this.y = v; }, y: 4, ["c" + 1]: 5, [Symbol.toPrimitive]: (h) => (h === "number" ? 42 : "prim") };
  o.x = 21;
  const { y, ...others } = o;
  return [log.join(), Reflect.ownKeys(p).join(), o.x, y, Object.keys(others).join(), +o, `${o}`, o?.none?.deep ?? "default", Object.getOwnPropertyNames(class { static m() {} }).join()].join(" ");
});

section("work", () => {
  const n = 60 * scale, grid = Array.from({ length: n }, (_, y) => Int32Array.from({ length: n }, (_, x) => ((x * 31 + y * 17) ^ (x * y)) & 1));
  for (let round = 0; round < 5; round++) {
    const old = grid.map((r) => r.slice());
    for (let y = 1; y < n - 1; y++) for (let x = 1; x < n - 1; x++) {
      let c = 0;
      for (let dy = -1; dy <= 1; dy++) for (let dx = -1; dx <= 1; dx++) if (dx || dy) c += old[y + dy][x + dx];
      grid[y][x] = c === 3 || (c === 2 && old[y][x]) ? 1 : 0;
    }
  }
  const fib = (k) => (k < 2 ? k : fib(k - 1) + fib(k - 2));
  return grid.flatMap((r) => [...r]).reduce((a, b) => a + b) + " " + fib(18) + " " + new Function("a", "b", "return a ** b")(2, 10);
});

const tick = (n) => new Promise((done) => (n ? tick(n - 1).then((v) => done(v + n)) : done(0)));
(async () => {
  print("async", await tick(20), await Promise.all([1, tick(3), Promise.resolve("x")]), (await Promise.allSettled([Promise.reject(new Error("no"))]))[0].status);
  async function* agen() { for (let i = 0; i < 3; i++) yield await tick(i); }
  const got = [];
  for await (const v of agen()) got.push(v);
  print("async generator", got);
  try { await Promise.any([Promise.reject(1)]); } catch (e) { print(e.constructor.name, e.errors); }
})();
throw new TypeError("the last error");

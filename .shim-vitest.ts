import * as chai from 'chai';
import { JestChaiExpect, JestAsymmetricMatchers, JestExtend, ASYMMETRIC_MATCHERS_OBJECT, GLOBAL_EXPECT, customMatchers, getState, setState } from '@vitest/expect';
chai.use(JestExtend as any); chai.use(JestChaiExpect as any); chai.use(JestAsymmetricMatchers as any);
const base: any = (v: any, m?: string) => { const s = getState(base); setState({ assertionCalls: (s?.assertionCalls ?? 0) + 1 } as any, base); return (chai as any).expect(v, m); };
Object.assign(base, (chai as any).expect); Object.assign(base, (globalThis as any)[ASYMMETRIC_MATCHERS_OBJECT]);
base.getState = () => getState(base); base.setState = (s: any) => setState(s, base);
setState({ assertionCalls: 0, isExpectingAssertions: false } as any, base);
(globalThis as any)[GLOBAL_EXPECT] = base;
(chai as any).expect.extend(base, customMatchers);
export const expect = base;
type Test = { name: string; run: () => any; skip: boolean; scope: Scope };
type Scope = { name: string; parent: Scope | null; before: any[]; after: any[]; beforeEach: any[]; afterEach: any[]; skip: boolean; items: (Test | Scope)[] };
const mk = (name: string, parent: Scope | null, skip = false): Scope => ({ name, parent, before: [], after: [], beforeEach: [], afterEach: [], skip, items: [] });
const root = mk('', null); let cur = root; let finished: any[] = [];
const fnOf = (a: any[]) => a.find((x) => typeof x === 'function');
const add = (skip: boolean) => (name: string, ...a: any[]) => { cur.items.push({ name, run: fnOf(a), skip, scope: cur }); };
const fmt = (name: string, args: any[], i: number) => { let k = 0; return name.replace(/%[sdijo]/g, () => JSON.stringify(args[k++])).replace(/\$(\w+)/g, (_, key) => String(args[0]?.[key])); };
const each = (f: any) => (cases: any[]) => (name: string, ...a: any[]) => cases.forEach((c, i) => { const args = Array.isArray(c) ? c : [c]; const g = fnOf(a); f(fmt(name, args, i), () => g(...args)); });
const mkIt = (skip: boolean): any => Object.assign(add(skip), { each: each(add(skip)), skipIf: (c: any) => mkIt(skip || !!c), runIf: (c: any) => mkIt(skip || !c), skip: add(true), only: add(skip) });
export const it: any = mkIt(false); export const test = it;
const desc = (skip: boolean) => (name: any, ...a: any[]) => { const s = mk(String(name), cur, skip || cur.skip); cur.items.push(s); const p = cur; cur = s; fnOf(a)(); cur = p; };
const mkDesc = (skip: boolean): any => Object.assign(desc(skip), { each: each(desc(skip)), skipIf: (c: any) => mkDesc(skip || !!c), runIf: (c: any) => mkDesc(skip || !c), skip: desc(true) });
export const describe: any = mkDesc(false);
export const beforeAll = (f: any) => cur.before.push(f); export const afterAll = (f: any) => cur.after.push(f);
export const beforeEach = (f: any) => cur.beforeEach.push(f); export const afterEach = (f: any) => cur.afterEach.push(f);
export const onTestFinished = (f: any) => finished.push(f);
export const vi: any = new Proxy({}, { get: () => () => { throw new Error('no vi'); } });
let pass = 0, fail = 0, skipped = 0;
const filter = process.argv[2] ? new RegExp(process.argv[2]) : null;
const anyRun = (s: Scope): boolean => !s.skip && s.items.some((x) => 'items' in x ? anyRun(x) : !x.skip && (!filter || filter.test(full(x))));
const full = (t: Test) => { let n = t.name; for (let s: Scope | null = t.scope; s; s = s.parent) n = s.name ? s.name + ' ' + n : n; return n; };
async function runScope(s: Scope) {
  if (!anyRun(s)) return;
  for (const f of s.before) await f();
  for (const x of s.items) {
    if ('items' in x) { await runScope(x); continue; }
    if (x.skip || s.skip) { skipped++; continue; }
    if (filter && !filter.test(full(x))) continue;
    const b = Date.now(); const chain: Scope[] = []; for (let q: Scope | null = s; q; q = q.parent) chain.unshift(q);
    try { for (const q of chain) for (const f of q.beforeEach) await f(); await x.run(); pass++; console.log('ok  ', x.name, Date.now() - b); }
    catch (e: any) { fail++; console.log('FAIL', x.name, Date.now() - b, e?.stack ?? e); }
    for (const q of chain.reverse()) for (const f of q.afterEach) await f();
    const fs = finished; finished = []; for (const f of fs.reverse()) try { await f(); } catch (e) { console.log('cleanup', e); }
  }
  for (const f of s.after) await f();
}
setTimeout(async () => { try { await runScope(root); } catch (e) { console.log('BROKEN', e); fail++; } console.log(`${pass} passed, ${fail} failed, ${skipped} skipped`); process.exit(fail ? 1 : 0); }, 0);

import { posix } from 'node:path';
import { type Chance, shuffled } from '../market/chance.ts';
import type { Project } from './corpus.ts';
import type { Defect } from './mutate.ts';
import { type Place, run } from './sandbox.ts';
import { edited, type Tree, textOf } from './tree.ts';

/**
 * Held-out values of a project: calls that its tests make of the work, with what the right work gives for them. One half
 * is shown to the agent as examples, the other is held out.
 */
export interface HeldOut {
  /** A command of a check and its files. */
  command: string;
  files: Record<string, string>;
  /** Work that knows the shown values by heart and is wrong elsewhere. */
  fitted: Tree;
}

/** A function and its arguments, as texts that the language reads again. */
type Call = [name: string, args: string];

/** A call with what the right work gives for it. */
type Answered = [...Call, result: string];

/** The same call with one other number or a shorter text. */
const near = ([name, args]: Call): Call[] => [
  ...[...args.matchAll(/(?<![\w.'"])\d{1,6}(?![\w.'"])/g)].flatMap((found) =>
    [1, -1, 7].map((by): Call => {
      const other = Math.max(0, Number(found[0]) + by);
      return [name, args.slice(0, found.index) + other + args.slice(found.index + found[0].length)];
    }),
  ),
  ...[...args.matchAll(/(['"])([^'"\\]{2,40})\1/g)].map(
    (found): Call => [name, args.replace(found[0], `${found[1]}${found[2]!.slice(0, -1)}${found[1]}`)],
  ),
];

const log = '/tmp/calls.jsonl';

const pythonRecorder = `
import ast as _ast, functools as _functools, json as _json, types as _types
_seen = set()
def _noted(name, each):
    @_functools.wraps(each)
    def call(*all, **named):
        try: key = repr((all, named)) if _ast.literal_eval(repr((all, named))) == (all, named) else None
        except Exception: key = None
        result = each(*all, **named)
        if key is not None and len(key) < 300 and (name, key) not in _seen:
            _seen.add((name, key))
            with open("${log}", "a") as _log: _log.write(_json.dumps([name, key]) + "\\n")
        return result
    return call
for _name, _each in list(globals().items()):
    if isinstance(_each, _types.FunctionType) and not _name.startswith("_") and _each.__module__ == __name__: globals()[_name] = _noted(_name, _each)
`;

const moduleOf = (path: string) => path.replace(/\/__init__\.py$|\.py$/, '').replaceAll('/', '.');

const pythonProbe = (path: string, calls: readonly Call[]) => `import importlib, json, sys
sys.path.insert(0, ".")
it = importlib.import_module(${JSON.stringify(moduleOf(path))})
for name, key in json.loads(${JSON.stringify(JSON.stringify(calls))}):
    all, named = eval(key)
    try: print(repr(getattr(it, name)(*all, **named)))
    except Exception as error: print("raised", type(error).__name__)
`;

const pythonFitted = (calls: readonly Answered[]) => `
import json as _json, types as _types
_known = {(name, key): result for name, key, result in _json.loads(${JSON.stringify(JSON.stringify(calls))})}
def _fitted(name, each):
    def call(*all, **named):
        known = _known.get((name, repr((all, named))))
        return each(*all, **named) if known is None else eval(known)
    return call
for _name, _each in list(globals().items()):
    if isinstance(_each, _types.FunctionType) and not _name.startswith("_"): globals()[_name] = _fitted(_name, _each)
`;

/** Of CommonJS: `wrap(name, function)` around what is exported. */
const exported = (wrap: string) => `
{
  const wrap = ${wrap};
  const all = module.exports;
  const whole = typeof all === 'function' ? Object.assign(wrap('', all), all) : all;
  for (const name of Object.keys(all)) if (typeof all[name] === 'function') try { whole[name] = wrap(name, all[name]); } catch {}
  module.exports = whole;
}
`;

const javascriptRecorder = exported(`(name, each) => (...all) => {
    const { isDeepStrictEqual } = require('util');
    const plain = (it) => { try { return isDeepStrictEqual(JSON.parse(JSON.stringify(it)), it); } catch { return false; } };
    const key = plain(all) ? JSON.stringify(all) : undefined;
    const result = each(...all);
    if (key !== undefined && key.length < 300) require('fs').appendFileSync('${log}', JSON.stringify([name, key]) + '\\n');
    return result;
  }`);

const javascriptProbe = (path: string, calls: readonly Call[]) => `const it = require('./${path}');
for (const [name, key] of ${JSON.stringify(calls)}) {
  try { console.log(JSON.stringify((name === '' ? it : it[name])(...JSON.parse(key)))); } catch (error) { console.log('raised ' + error.name); }
}
`;

const javascriptFitted = (calls: readonly Answered[]) =>
  exported(`(name, each) => {
    const known = new Map(${JSON.stringify(calls.map(([name, key, result]) => [`${name} ${key}`, result]))});
    return (...all) => { const found = known.get(name + ' ' + JSON.stringify(all)); return found === undefined ? each(...all) : JSON.parse(found); };
  }`);

const languages = {
  python: { recorder: pythonRecorder, probe: pythonProbe, fitted: pythonFitted, program: 'python3 -c' },
  javascript: { recorder: javascriptRecorder, probe: javascriptProbe, fitted: javascriptFitted, program: 'node -e' },
};

const most = 60;
const runMs = 60_000;

/** Null where the tests make no call that tells the defect from the work. */
export async function heldOutOf(
  place: Place,
  project: Project,
  defect: Defect,
  random: Chance,
): Promise<HeldOut | null> {
  const { ecosystem, tree } = project;
  if (ecosystem !== 'python' && ecosystem !== 'javascript') return null;
  const { recorder, probe, fitted, program } = languages[ecosystem];
  const { path } = defect;
  const work = textOf(tree, path);
  if (ecosystem === 'javascript' && !/module\.exports|(?<!\w)exports\./.test(work)) return null;
  const noting = edited(tree, { [path]: `${work}\n${recorder}` });
  const noted = await run(place, noting, `${project.command} > /dev/null 2>&1; cat ${log}`, runMs);
  const lines = [...new Set(noted.stdout.split('\n').filter((line) => line.startsWith('[') && line.endsWith(']')))];
  const noticed = shuffled(
    random,
    lines.map((line) => JSON.parse(line) as Call),
  ).slice(0, most);
  const calls = [...noticed, ...shuffled(random, noticed.flatMap(near)).slice(0, 3 * most)];
  if (calls.length === 0) return null;
  const ask = async (of: Tree) =>
    (await run(place, of, `${program} "$(cat)"`, runMs, probe(path, calls))).stdout.split('\n');
  const [right, again, broken] = [await ask(tree), await ask(tree), await ask(defect.tree)];
  const steady = calls.flatMap((call, nth) => {
    const answer = right[nth];
    // What a language writes of an object cannot be read again.
    return answer === undefined || answer !== again[nth] || /^$|<.*>|^undefined$/.test(answer)
      ? []
      : [{ call, right: answer, broken: broken[nth] }];
  });
  const telling = steady.filter((each) => each.right !== each.broken);
  if (telling.length < 2) return null;
  const half = Math.ceil(telling.length / 2);
  const rest = steady.filter((each) => each.right === each.broken).slice(0, most);
  const [shown, held] = [telling.slice(0, half).slice(0, most), [...telling.slice(half).slice(0, most), ...rest]];
  return {
    command: `delivered ${program} "$(cat held/${posix.basename(path)}.probe)" > /tmp/got && cmp /tmp/got held/expected.txt`,
    files: {
      [`held/${posix.basename(path)}.probe`]: probe(
        path,
        held.map(({ call }) => call),
      ),
      'held/expected.txt': `${held.map((each) => each.right).join('\n')}\n`,
    },
    fitted: edited(defect.tree, {
      [path]: `${textOf(defect.tree, path)}\n${fitted(shown.filter((each) => !each.right.startsWith('raised')).map((each): Answered => [...each.call, each.right]))}`,
    }),
  };
}

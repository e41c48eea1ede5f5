import { spawnSync } from 'node:child_process';

/** One question to both sides: the name of an operation and its arguments, all of them JSON. */
export type Question = readonly [operation: string, ...args: readonly unknown[]];

/** What answers each operation in Python. Floats travel as text, because JSON has no infinities. */
const PROGRAM = String.raw`
import sys, json
from datetime import datetime

def J(text): return json.loads(text)
OPS = {
  'repr-float': lambda x: repr(float(x)),
  'fixed': lambda x, d: f'{float(x):.{d}f}',
  'round': lambda x, d: repr(round(float(x), d)),
  'thousands': lambda x, d: f'{float(x):,}' if d is None else f'{float(x):,.{d}f}',
  'thousands-int': lambda x: f'{int(x):,}',
  'format-fixed': lambda v, d: f'{J(v):.{d}f}',
  'loads': lambda t: repr(json.loads(t)),
  'loads-floats': lambda t: repr(json.loads(t, parse_int=float)),
  'dumps': lambda t, s, i: json.dumps(json.loads(t), sort_keys=s, indent=i),
  'repr': lambda t: repr(t),
  'str': lambda v: str(J(v)),
  'float': lambda v: repr(float(J(v))),
  'int': lambda v: repr(int(J(v))),
  'strptime': lambda v, f: str(tuple(datetime.strptime(J(v), f).timetuple())[:6]),
  'strftime': lambda v, f, g: datetime.strptime(v, f).strftime(g),
  'days': lambda a, b, f: repr((datetime.strptime(a, f) - datetime.strptime(b, f)).days),
  'title': lambda t: t.title(),
  'isdigit': lambda t: repr(t.isdigit()),
  'split': lambda t: repr(t.split()),
  'strip': lambda t: t.strip(),
  'lower': lambda t: t.lower(),
  'len': lambda t: repr(len(t)),
  'equal': lambda a, b: repr(J(a) == J(b)),
  'truthy': lambda a: repr(bool(J(a))),
  'order': lambda a, how, b: repr(eval('a ' + how + ' b', {'a': J(a), 'b': J(b)})),
  'calculate': lambda a, how, b: repr(eval('a ' + how + ' b', {'a': J(a), 'b': J(b)})),
  'abs': lambda a: repr(abs(J(a))),
}

def bind(required, optional, args):
    names = list(required) + [f'{name}={json.dumps(value)}'.replace('null', 'None') for name, value in optional]
    scope = {}
    body = ', '.join(list(required) + [name for name, _ in optional])
    exec('class Kit:\n  def tool(' + ', '.join(['self'] + names) + '):\n    return [' + body + ']', scope)
    return repr(scope['Kit']().tool(**J(args)))
OPS['bind'] = bind

def answer(question):
    try: return OPS[question[0]](*question[1:])
    except Exception as error: return f'{type(error).__name__}: {error}'
print(json.dumps([sys.version_info[1]] + [answer(question) for question in json.load(sys.stdin)]))
`;

/** Python's answers, one to each question; a text that says why there are none where it cannot be asked. */
export function askPython(questions: readonly Question[]): readonly string[] | string {
  const asked = spawnSync('python3', ['-c', PROGRAM], {
    input: JSON.stringify(questions),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (asked.error !== undefined) return `python3 cannot be started: ${asked.error.message}`;
  if (asked.status !== 0) throw new Error(`python3 failed: ${asked.stderr}`);
  const [minor, ...answers] = JSON.parse(asked.stdout) as [number, ...string[]];
  // 3.13 words two errors otherwise, and what is older than 3.11 several
  return minor === 11 || minor === 12 ? answers : `python3 is 3.${minor}; the reference runs on 3.11 and 3.12`;
}

import { ConfigError } from 'flyball';
import { type Expression, TokenReader } from './expression.js';
import { type LogicalLine, logicalLines, type Token } from './tokens.js';

/** What a Python file says about its classes: enough to know which tools they have. */
export interface PythonModule {
  readonly classes: readonly PythonClass[];
  /** Names given to types: `Status = Literal["open", "done"]`. */
  readonly aliases: ReadonlyMap<string, Expression>;
}

export interface PythonClass {
  readonly name: string;
  /** Names only, the last part of dotted ones. */
  readonly bases: readonly string[];
  readonly functions: readonly PythonFunction[];
}

export interface PythonFunction {
  readonly name: string;
  readonly decorators: readonly Expression[];
  /** Without `self`. */
  readonly parameters: readonly PythonParameter[];
  /** As it stands in the file, indentation and all. */
  readonly docstring: string | undefined;
}

export interface PythonParameter {
  readonly name: string;
  readonly annotation: Expression | undefined;
  /** Absent: it has to be given. */
  readonly standard?: Expression;
}

export function readModule(source: string, file: string): PythonModule {
  const lines = logicalLines(source);
  const classes: PythonClass[] = [];
  const aliases = new Map<string, Expression>();
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at];
    if (line === undefined || line.indent > 0) continue;
    if (isWord(line.tokens[0], 'class')) classes.push(classAt(line, bodyOf(lines, at), file));
    else addAlias(line, aliases);
  }
  return { classes, aliases };
}

/** The lines further in, up to the next one that is not. */
function bodyOf(lines: readonly LogicalLine[], at: number): readonly LogicalLine[] {
  const indent = lines[at]?.indent ?? 0;
  const end = lines.findIndex((line, index) => index > at && line.indent <= indent);
  return lines.slice(at + 1, end < 0 ? undefined : end);
}

function addAlias({ tokens }: LogicalLine, aliases: Map<string, Expression>): void {
  const reader = new TokenReader(tokens);
  const name = reader.name();
  if (name === undefined || !reader.takes('=')) return;
  const value = reader.expression();
  if (value !== undefined && reader.isDone) aliases.set(name, value);
}

function classAt({ tokens, number }: LogicalLine, body: readonly LogicalLine[], file: string): PythonClass {
  const reader = new TokenReader(tokens.slice(1));
  const name = reader.name() ?? '';
  const given = reader.takes('(') ? reader.arguments(')') : [];
  if (given === undefined) throw unread(file, number, `the bases of ${name}`);
  const bases = given.flatMap(({ name: keyword, value }) =>
    keyword === undefined && value.kind === 'name' ? value.path.slice(-1) : [],
  );
  return { name, bases, functions: functionsIn(body, file) };
}

function functionsIn(body: readonly LogicalLine[], file: string): readonly PythonFunction[] {
  const indent = body[0]?.indent;
  const found: PythonFunction[] = [];
  let decorators: Expression[] = [];
  for (const [at, line] of body.entries()) {
    if (line.indent !== indent) continue;
    const [first, second] = line.tokens;
    if (isWord(first, '@')) {
      const decorator = new TokenReader(line.tokens.slice(1)).expression();
      if (decorator !== undefined) decorators.push(decorator); // one that we cannot read is none that we look for
      continue;
    }
    const skipped = isWord(first, 'async') && isWord(second, 'def') ? 2 : 1;
    if (skipped === 2 || isWord(first, 'def'))
      found.push(functionAt(line, { skipped, decorators, body: bodyOf(body, at), file }));
    decorators = [];
  }
  return found;
}

function functionAt(
  { tokens, number }: LogicalLine,
  about: {
    readonly skipped: number;
    readonly decorators: readonly Expression[];
    readonly body: readonly LogicalLine[];
    readonly file: string;
  },
): PythonFunction {
  const reader = new TokenReader(tokens.slice(about.skipped));
  const name = reader.name() ?? '';
  const parameters = reader.takes('(') ? parametersIn(reader) : undefined;
  const isMethod = parameters?.[0]?.name === 'self' || parameters?.[0]?.name === 'cls';
  return {
    name,
    decorators: about.decorators,
    // Only of a tool are they looked at: a method of another kind may have any.
    get parameters() {
      if (parameters === undefined) throw unread(about.file, number, `the parameters of ${name}`);
      return isMethod ? parameters.slice(1) : parameters;
    },
    docstring: docstringOf(about.body[0]?.tokens ?? afterColon(tokens)),
  };
}

function parametersIn(reader: TokenReader): readonly PythonParameter[] | undefined {
  const found: PythonParameter[] = [];
  while (!reader.takes(')')) {
    if (reader.takes('*') && reader.takes(',')) continue; // what follows is given by name, as all our calls are
    const name = reader.name();
    if (name === undefined) return undefined;
    const annotation = reader.takes(':') ? reader.expression() : undefined;
    const standard = reader.takes('=') ? reader.expression() : undefined;
    found.push({ name, annotation, ...(standard === undefined ? {} : { standard }) });
    if (reader.takes(',')) continue;
    return reader.takes(')') ? found : undefined;
  }
  return found;
}

/** What stands behind the head of a function that is one line. */
function afterColon(tokens: readonly Token[]): readonly Token[] {
  const colon = tokens.findLastIndex((token) => isWord(token, ':'));
  return tokens.slice(colon + 1);
}

function docstringOf(tokens: readonly Token[]): string | undefined {
  if (tokens.length === 0 || tokens.some(({ kind }) => kind !== 'string')) return undefined;
  return tokens.map(({ text }) => text ?? '').join('');
}

function isWord(token: Token | undefined, text: string): boolean {
  return token !== undefined && token.kind !== 'string' && token.text === text;
}

function unread(file: string, line: number, what: string): ConfigError {
  return new ConfigError(
    `${file}:${line}: ${what} cannot be read. It is of a revision that this version does not know.`,
  );
}

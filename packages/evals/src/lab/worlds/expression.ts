import { ConfigError } from 'flyball';

/** Evaluates whole numbers with + - × / and brackets, with variables: the code behind the truth of several worlds. */
export function evaluate(text: string, variables: Readonly<Record<string, number>> = {}): number {
  const tokens = text.match(/\d+|[a-z]+|[-+×*/()]/g) ?? [];
  let at = 0;
  const next = (): string | undefined => tokens[at];
  const refuse = (): never => {
    throw new ConfigError(`"${text}" is no expression.`);
  };
  const factor = (): number => {
    const token = tokens[at++];
    if (token === undefined) return refuse();
    if (token === '(') {
      const inside = sum();
      if (tokens[at++] !== ')') refuse();
      return inside;
    }
    if (token === '-') return -factor();
    if (/^\d+$/.test(token)) return Number(token);
    return variables[token] ?? refuse();
  };
  const product = (): number => {
    let left = factor();
    for (let sign = next(); sign === '×' || sign === '*' || sign === '/'; sign = next()) {
      at++;
      const right = factor();
      left = sign === '/' ? left / right : left * right;
    }
    return left;
  };
  const sum = (): number => {
    let left = product();
    for (let sign = next(); sign === '+' || sign === '-'; sign = next()) {
      at++;
      const right = product();
      left = sign === '+' ? left + right : left - right;
    }
    return left;
  };
  const result = sum();
  if (at !== tokens.length) refuse();
  return result;
}

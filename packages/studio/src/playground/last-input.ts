/** What was typed for an agent last, in this tab only: an input may hold what others must not find here later. */
export interface Place {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
}

const MOST = 100_000;
const nameOf = (agent: string): string => `flyball.input.${agent}`;

export function lastInput(agent: string, place: Place = sessionStorage): unknown {
  const text = place.getItem(nameOf(agent));
  if (text === null) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // somebody else wrote there
  }
}

export function keepInput(agent: string, input: unknown, place: Place = sessionStorage): void {
  const text = JSON.stringify(input) ?? 'null';
  if (text.length <= MOST) place.setItem(nameOf(agent), text);
}

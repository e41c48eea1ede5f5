import { formsOf, isIn, lowerCase, twinsOf } from './characters.js';
import type { Node, SetItem } from './syntax.js';

/** The flags that hold at one place of a pattern. */
export interface Modes {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  readonly ascii: boolean;
}

/** Whether one character fits. Worked out once for each character that is met: from a table where it is a common one. */
export class Unit {
  /** 0: not known yet, 1: does not fit, 2: fits. */
  private readonly common = new Uint8Array(256);
  private readonly others = new Map<number, boolean>();
  private readonly fits: (code: number) => boolean;

  constructor(fits: (code: number) => boolean) {
    this.fits = fits;
  }

  test(code: number): boolean {
    const known = code < 256 ? this.common[code] : 0;
    return known === 2 || (known !== 1 && this.learn(code));
  }

  private learn(code: number): boolean {
    const known = this.others.get(code);
    if (known !== undefined) return known;
    const fits = this.fits(code);
    if (code < 256) this.common[code] = fits ? 2 : 1;
    else this.others.set(code, fits);
    return fits;
  }
}

export type UnitNode = Extract<Node, { readonly kind: 'char' | 'set' | 'any' }>;

export function unitOf(node: UnitNode, modes: Modes): Unit {
  if (node.kind === 'any') return new Unit((code) => modes.dotAll || code !== 10);
  if (node.kind === 'char') return new Unit(isAmong([{ from: node.code, to: node.code }], modes));
  const among = isAmong(node.items, modes);
  return new Unit(node.negate ? (code) => !among(code) : among);
}

function isAmong(items: readonly SetItem[], modes: Modes): (code: number) => boolean {
  if (!modes.ignoreCase) return (code) => items.some((item) => holds(item, code, modes.ascii));
  return (code) => {
    const lower = lowerCase(code, modes.ascii);
    const forms = twinsOf(lower, modes.ascii).flatMap((twin) => formsOf(twin, modes.ascii));
    return items.some((item) =>
      'category' in item ? holds(item, lower, modes.ascii) : forms.some((form) => holds(item, form, modes.ascii)),
    );
  };
}

function holds(item: SetItem, code: number, ascii: boolean): boolean {
  if ('category' in item) return isIn(item.category, code, ascii) !== item.negate;
  return code >= item.from && code <= item.to;
}

import type { Formula } from '../../../flyball/src/core/formula.js';
import { api } from '../api/client.js';

export interface CategoryInfo {
  readonly id: string;
  readonly about: string;
}

export interface ParamInfo {
  readonly default?: number | string;
  readonly range?: readonly [number, number];
  readonly source: string;
}

export interface SeatInfo {
  readonly tools: 'none' | 'any';
  readonly apartFrom?: readonly string[];
  readonly otherModel?: string;
}

export interface PatternInfo {
  readonly id: string;
  readonly name: string;
  readonly category: string;
  readonly band: string;
  readonly purpose: string;
  readonly whenNot: string;
  readonly exports: readonly string[];
  readonly kind: string;
  readonly seats: Readonly<Record<string, SeatInfo>>;
  readonly params: Readonly<Record<string, ParamInfo>>;
  readonly calls: Formula;
  readonly several?: Readonly<Record<string, string | number>>;
  readonly formula: string;
  readonly failures: readonly { readonly sign: string; readonly end: string }[];
  readonly clauses: readonly { readonly id: string; readonly text: string; readonly shows: readonly string[] }[];
  readonly status: 'complete' | { readonly missing: readonly string[] };
}

export type RelationKind = 'requires' | 'conflicts' | 'upgrades-to' | 'tension';

export interface RelationInfo {
  readonly from: string;
  readonly kind: RelationKind;
  readonly to: readonly string[];
  readonly why: string;
}

export interface Catalogue {
  readonly categories: readonly CategoryInfo[];
  readonly patterns: readonly PatternInfo[];
  readonly relations: readonly RelationInfo[];
}

export interface Place {
  readonly x: number;
  readonly y: number;
}

export interface Curve {
  readonly id: string;
  readonly pattern: string;
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly lines: readonly {
    readonly name: string;
    readonly points: readonly Place[];
    readonly measured: readonly Place[];
  }[];
}

export interface Claim {
  readonly id: string;
  readonly pattern: string;
  readonly says: string;
  readonly side: 'gains' | 'loses' | 'holds';
  readonly measured: { readonly value: number; readonly expected: number; readonly calls: number };
  readonly baseline: { readonly value: number; readonly calls: number };
  readonly paired: { readonly gain: number };
}

export interface Laboratory {
  readonly condition: string;
  readonly items: number;
  readonly rows: readonly Claim[];
  readonly curves: readonly Curve[];
}

export const readCatalogue = (): Promise<Catalogue> => api.get<Catalogue>('/v1/patterns');
export const readLaboratory = (): Promise<Laboratory> => api.get<Laboratory>('/v1/patterns/laboratory');

export type StatusWord = 'complete' | 'in part' | 'not built';

/** How far a pattern is: all clauses have tests, some have, or none. */
export function statusWord({ status, clauses }: Pick<PatternInfo, 'status' | 'clauses'>): StatusWord {
  if (status === 'complete') return 'complete';
  return status.missing.length === clauses.length ? 'not built' : 'in part';
}

export interface Wanted {
  readonly text: string;
  readonly category: string;
  readonly status: string;
}

/** Patterns that a filter leaves. Every word has to stand somewhere in id, names or purpose. */
export function filtered(patterns: readonly PatternInfo[], { text, category, status }: Wanted): readonly PatternInfo[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return patterns.filter((pattern) => {
    const { id, name, exports: names, purpose, kind } = pattern;
    const told = [id, name, ...names, purpose, kind].join(' ').toLowerCase();
    return (
      (category === '' || pattern.category === category) &&
      (status === '' || statusWord(pattern) === status) &&
      words.every((word) => told.includes(word))
    );
  });
}

import { antiPatterns } from './catalogue.js';
import type { Finding } from './finding.js';
import { shown } from './lint-relations.js';
import type { AntiPatternId, Level } from './types.js';

/** What a rule found: where, and why it is that anti-pattern here. The rest is in the catalogue. */
export function foundAnti(id: AntiPatternId, at: string, why: string, level?: Level): Finding {
  const spec = antiPatterns.find((each) => each.id === id);
  const fix = spec?.fix ?? [];
  const change = [
    ...(fix.length === 0 ? [] : [`Add ${fix.map(shown).join(' or ')}.`]),
    ...(spec?.instead === undefined ? [] : [spec.instead]),
  ];
  return {
    rule: id,
    level: level ?? spec?.level ?? 'warning',
    at,
    why: `${spec?.name}: ${why}`,
    change: change.join(' '),
    patterns: fix,
  };
}

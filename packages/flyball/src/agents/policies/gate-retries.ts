import { canonicalJson } from '../../core/canonical.js';
import { type GateCall, isRead } from './gate-call.js';
import type { GateRules } from './gate-rules.js';
import type { Refusal } from './refusal.js';
import { type Deed, type Evidence, type Happening, isDeed } from './witness.js';

/** A tool that only fails is not tried again until something has changed: a person spoke, or another call changed something. */
export function retries(rules: GateRules, call: GateCall, { happened }: Evidence): Refusal | undefined {
  const recent = happened.slice(happened.findLastIndex((one) => changesMatter(rules, call, one)) + 1);
  const failed = recent.filter((one): one is Deed => isDeed(one) && !one.ok && isSameTool(one.call, call));
  const same = failed.filter((one) => meant(one.call) === meant(call));
  const { sameTool, sameCall } = rules.retries;
  if (same.length >= sameCall)
    return {
      rule: 'retries',
      because: `${call.target} failed ${same.length} times with exactly these arguments. Change them, or tell the customer what is in the way.`,
    };
  if (failed.length >= sameTool)
    return {
      rule: 'retries',
      because: `${call.target} failed ${failed.length} times in a row. Talk to the customer before you try it again.`,
    };
  return undefined;
}

/** What the call asks for: other spaces and another order of the fields make no other call. */
function meant({ args, inner, wrapper }: GateCall): string {
  return canonicalJson(wrapper === undefined ? args : inner);
}

function changesMatter(rules: GateRules, call: GateCall, one: Happening): boolean {
  if (!isDeed(one)) return one.kind === 'words';
  return one.ok && (isSameTool(one.call, call) || (one.call.does === 'call' && !isRead(rules, one.call)));
}

function isSameTool(a: GateCall, b: GateCall): boolean {
  return a.tool === b.tool && a.target === b.target;
}

import { type Desk, TODAY } from './desk.js';
import { idFor } from './ids.js';

/** From none to most. A nominated contact is verified, but for less than the customer. */
const LEVELS = ['none', 'nominated_contact', 'standard', 'enhanced'] as const;
export type Level = (typeof LEVELS)[number];

export function verificationId(customerId: string): string {
  return idFor('ver', customerId);
}

/** The level on record for a customer at this moment. */
export function levelOf(desk: Desk, customerId: string): Level {
  const recorded = desk.find('verification_history', verificationId(customerId))?.get('level');
  return LEVELS.find((level) => level === recorded) ?? 'none';
}

/**
 * Notes a change with the verification on record when it was made. That is how a change before verification stays
 * visible: verifying afterwards does not mend it, because the least level of all calls is kept.
 */
export function audit(desk: Desk, tool: string, customerId: string): void {
  const id = idFor('aud', tool, customerId);
  const level = levelOf(desk, customerId);
  const noted = desk.find('audit_trail', id)?.get('identity');
  if (noted === undefined) {
    desk.add('audit_trail', id, { tool, customer_id: customerId, identity: level, date: TODAY });
  } else if (rank(level) < rank(noted)) {
    desk.set('audit_trail', id, { identity: level });
  }
}

function rank(level: unknown): number {
  return (LEVELS as readonly unknown[]).indexOf(level);
}

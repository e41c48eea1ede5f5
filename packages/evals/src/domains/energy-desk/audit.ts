import { type Desk, TODAY } from './desk.js';
import { idFor } from './ids.js';

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
 * Notes a change with the verification on record when it was first made. That is how a change before verification stays
 * visible: verifying and making it again does not mend it.
 */
export function audit(desk: Desk, tool: string, customerId: string): void {
  const id = idFor('aud', tool, customerId);
  if (desk.find('audit_trail', id) !== undefined) return;
  desk.add('audit_trail', id, { tool, customer_id: customerId, identity: levelOf(desk, customerId), date: TODAY });
}

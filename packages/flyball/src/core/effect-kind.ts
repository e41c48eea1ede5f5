/**
 * Whether an effect can be repeated or undone. pure: changes nothing. idempotent: repeating it under the same key
 * changes nothing more. undoable: has a compensation. irreversible: a person approves it before it is attempted.
 */
export type EffectKind = 'pure' | 'idempotent' | 'undoable' | 'irreversible';

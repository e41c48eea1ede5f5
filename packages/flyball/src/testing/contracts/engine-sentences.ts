import type { Engine } from '../../ports/engine.js';
import type { OpenEngine } from './engine-fixture.js';

/** Of the port, so that a method that is added to it is missed here. */
const METHODS: Readonly<Record<Exclude<keyof Engine, 'kind'>, true>> = {
  create: true,
  claim: true,
  take: true,
  append: true,
  renew: true,
  release: true,
  get: true,
  list: true,
  count: true,
  read: true,
  blobs: true,
  links: true,
  post: true,
  waits: true,
  inbox: true,
  requeue: true,
  announce: true,
  workers: true,
  due: true,
  overdue: true,
  queue: true,
  nextDue: true,
  watch: true,
  hold: true,
  remove: true,
  restore: true,
  collect: true,
  weigh: true,
  size: true,
  declareGone: true,
  goneOwners: true,
  operations: true,
  close: true,
};

/** Why what was opened cannot be tested at all, in one sentence. */
export function whyNoEngine(opened: Partial<OpenEngine> | undefined): string | undefined {
  const engine = opened?.engine as Readonly<Record<string, unknown>> | undefined;
  if (typeof engine !== 'object' || engine === null)
    return 'open() gives no `engine`. Resolve to { engine, close, reopen }.';
  const missing = Object.keys(METHODS).filter((name) => typeof engine[name] !== 'function');
  if (missing.length > 0)
    return `The engine has no ${missing.join(', ')}. Nothing was tested. \`Engine\` says what each does; one that is not finished may throw.`;
  if (typeof opened?.close !== 'function') return 'open() gives no `close`. It ends the engine after each test.';
  return undefined;
}

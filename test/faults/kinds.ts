import type { Kind } from './kind.js';
import { postgresKinds } from './postgres-kinds.js';
import { restateKinds } from './restate-kinds.js';
import { workerKinds } from './worker-kinds.js';

export const KINDS: readonly Kind[] = [...workerKinds, ...postgresKinds, ...restateKinds];

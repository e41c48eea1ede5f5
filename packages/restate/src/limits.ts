import { type ObjectContext, object } from '@restatedev/restate-sdk';
import type { RunRecord } from 'flyball';
import type { RestateLimits, Settings } from './options.js';
import { INNER } from './service-options.js';

/** A limit that holds for a run: its name in Restate, and how many runs may be at work under it. */
export interface Limit {
  readonly name: string;
  readonly most: number;
}

/** In an order that is the same for all: whoever waits for the second never holds what the first one waits for. */
export function limitsFor(
  { tenant, agent }: Pick<RunRecord, 'tenant' | 'agent'>,
  { tenants, agents }: Pick<Settings, 'tenants' | 'agents'>,
): readonly Limit[] {
  // a server runs one agent in several ways, `writer:chat` for example: they are one agent to whoever limits it
  const [family = agent] = agent.split(':');
  const named = Object.hasOwn(agents, agent) ? agent : family;
  return [...limitIn(tenants, 'tenant', tenant), ...limitIn(agents, 'agent', named)];
}

function limitIn(limits: RestateLimits, kind: string, name: string): readonly Limit[] {
  const most = Object.hasOwn(limits, name) ? limits[name] : limits['*'];
  return most === undefined ? [] : [{ name: `${kind} ${name}`, most }];
}

/** Who asks for a place, the bell that is rung when there is one, and how many places there are. */
export interface Asked {
  readonly by: string;
  readonly bell: string;
  readonly most: number;
}

type Line = ObjectContext;

/**
 * One object for each limit. Its state: `held`, how many places are taken; `place <by>` for each of them; the line of those
 * who wait as `wait <number>` from `head` to `tail`; `left <by>` for who gave up while waiting.
 */
export function limitsService(name: string) {
  return object({
    name,
    options: INNER,
    handlers: {
      take: async (line: Line, asked: Asked) => {
        const tail = (await line.get<number>('tail')) ?? 0;
        line.set(`wait ${tail}`, asked);
        line.set('tail', tail + 1);
        await letIn(line, asked.most, tail + 1);
      },
      give: async (line: Line, { by, most }: Omit<Asked, 'bell'>) => {
        const tail = (await line.get<number>('tail')) ?? 0;
        if ((await line.get<boolean>(`place ${by}`)) === null) line.set(`left ${by}`, true);
        else {
          line.clear(`place ${by}`);
          line.set('held', ((await line.get<number>('held')) ?? 1) - 1);
        }
        await letIn(line, most, tail);
      },
    },
  });
}

async function letIn(line: Line, most: number, tail: number): Promise<void> {
  let held = (await line.get<number>('held')) ?? 0;
  let head = (await line.get<number>('head')) ?? 0;
  for (; head < tail && held < most; head++) {
    const next = await line.get<Asked>(`wait ${head}`);
    line.clear(`wait ${head}`);
    if (next === null) continue;
    if ((await line.get<boolean>(`left ${next.by}`)) !== null) {
      line.clear(`left ${next.by}`);
      continue;
    }
    held += 1;
    line.set(`place ${next.by}`, true);
    line.resolveAwakeable(next.bell);
  }
  line.set('held', held);
  line.set('head', head);
}

import { useLoaded } from '../forms/use-loaded.js';
import { href } from '../router/router.js';
import { dollars } from '../ui/amounts.js';
import { Badge } from '../ui/badge.js';
import { ErrorNote } from '../ui/error-note.js';
import { Table } from '../ui/table.js';
import { evaluations, type Simulation, type Spoken } from './evaluations.js';

export interface Chosen {
  readonly id: string;
  readonly file: string;
}

/** Where the simulations of a condition are shown, or the conversation of one. */
export function placeOf({ id, file }: Chosen, simulation?: string): string {
  const query = new URLSearchParams({ file, ...(simulation === undefined ? {} : { simulation }) });
  return href(`/evals/${encodeURIComponent(id)}?${query.toString()}`);
}

/** The simulations behind the figures of one condition. */
export function Simulations({ chosen, label }: { readonly chosen: Chosen; readonly label: string }) {
  const found = useLoaded(() => evaluations.simulations(chosen.id, chosen.file), [chosen.id, chosen.file]);
  if (found.problem !== undefined) return <ErrorNote error={found.problem} onRetry={found.again} />;
  if (found.value === undefined) return <p class="quiet">Reading…</p>;
  return (
    <section aria-label={`Simulations of ${label}`}>
      <h2>Simulations of {label}</h2>
      <div class="card">
        <Table
          label={`Simulations of ${label}`}
          rows={found.value}
          keyOf={({ id }) => id}
          columns={[
            { title: 'Task', cell: ({ id, task }) => <a href={placeOf(chosen, id)}>{task}</a> },
            { title: 'Trial', align: 'right', cell: ({ trial }) => trial },
            { title: 'Passed', cell: (row) => <Passed reward={row.reward} /> },
            { title: 'Ended by', cell: ({ termination }) => termination },
            { title: 'DB match', cell: ({ dbMatch }) => (dbMatch === null ? '–' : dbMatch ? 'yes' : 'no') },
            { title: 'Duration', align: 'right', cell: ({ seconds }) => `${seconds.toFixed(1)} s` },
            { title: 'Model calls', align: 'right', cell: ({ modelCalls }) => modelCalls },
            { title: 'Tool calls', align: 'right', cell: ({ toolCalls }) => toolCalls },
            { title: 'Cost', align: 'right', cell: ({ cost }) => (cost === null ? '–' : dollars(cost)) },
          ]}
        />
      </div>
    </section>
  );
}

/** Who said what in one simulation, and what its grade rests on. */
export function Conversation({ chosen, simulation }: { readonly chosen: Chosen; readonly simulation: string }) {
  const found = useLoaded(
    () => evaluations.simulation(chosen.id, chosen.file, simulation),
    [chosen.id, chosen.file, simulation],
  );
  if (found.problem !== undefined) return <ErrorNote error={found.problem} onRetry={found.again} />;
  if (found.value === undefined) return <p class="quiet">Reading…</p>;
  const { task, trial, reward, termination, checks, conversation, run } = found.value;
  return (
    <section aria-label={`Conversation of ${task}`}>
      <h2>
        {task}, trial {trial} <Passed reward={reward} />
      </h2>
      <p class="quiet">
        Ended by {termination}. <a href={placeOf(chosen)}>All simulations of the condition</a>
      </p>
      {checks.length === 0 ? null : (
        <ul class="eval-checks">
          {checks.map(({ what, met }, index) => (
            <li key={index} class={met ? 'met' : 'unmet'}>
              {met ? '✓' : '✗'} {what}
            </li>
          ))}
        </ul>
      )}
      <ol class="eval-talk">
        {conversation.map((spoken, index) => (
          <Turn key={index} spoken={spoken} />
        ))}
      </ol>
      {run === null ? null : (
        <p class="quiet">
          Its run is <code>{run}</code>, in <code>journal.db</code> beside the results.
        </p>
      )}
    </section>
  );
}

const WHO: Readonly<Record<Spoken['by'], string>> = { assistant: 'Agent', user: 'User', tool: 'Result' };

function Turn({ spoken: { by, text, calls, failed } }: { readonly spoken: Spoken }) {
  return (
    <li class={`eval-turn by-${by} ${failed ? 'failed' : ''}`}>
      <span class="eval-who">{WHO[by]}</span>
      <div>
        {text === '' ? null : <p class="eval-text">{text}</p>}
        {calls.map((call, index) => (
          <p key={index} class="eval-text mono">
            {call.name} {call.arguments}
          </p>
        ))}
      </div>
    </li>
  );
}

function Passed({ reward }: Pick<Simulation, 'reward'>) {
  if (reward === null) return <Badge tone="idle">not scored</Badge>;
  return reward >= 1 - 1e-6 ? <Badge tone="good">✓ passed</Badge> : <Badge tone="bad">✗ failed</Badge>;
}

import { useRef, useState } from 'preact/hooks';
import type { RunDetail } from '../api/types.js';
import { type Draft, draftOf, fieldsOf, fromJson, written } from '../forms/fields.js';
import { JsonField, SchemaForm } from '../forms/schema-form.js';
import { problemsIn } from '../forms/schema-problems.js';
import { navigate } from '../router/router.js';
import { ErrorNote } from '../ui/error-note.js';
import { type AgentDetail, freshKey, type Mode, starting } from './agents.js';
import { boundsIn } from './bounds.js';
import { BoundsFields } from './bounds-fields.js';
import { Chat } from './chat.js';
import { keepInput, lastInput } from './last-input.js';

const MODES: Readonly<Record<Mode, string>> = {
  iterative: 'Iterative: uses tools until it is done',
  once: 'Once: a single model call',
  conversation: 'Conversation: several turns',
};

/** The inputs of an agent as a form, its bounds, and how it goes. */
export function StartForm({
  agent,
  before,
}: {
  readonly agent: AgentDetail;
  /** A run that is to be repeated: its input stands in the form. */
  readonly before?: RunDetail | undefined;
}) {
  const [mode, setMode] = useState<Mode>(
    agent.modes.find((known) => known === before?.mode) ?? agent.modes[0] ?? 'iterative',
  );
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const bounds = boundsIn(texts, agent.budget);
  return (
    <>
      {agent.modes.length < 2 ? null : (
        <fieldset class="choices modes">
          <legend class="label">Mode</legend>
          {agent.modes.map((one) => (
            <label key={one}>
              <input type="radio" name="mode" value={one} checked={mode === one} onChange={() => setMode(one)} />
              {MODES[one]}
            </label>
          ))}
        </fieldset>
      )}
      <BoundsFields own={agent.budget} texts={texts} problems={bounds.problems} onChange={setTexts} />
      {mode === 'conversation' ? (
        <Chat agent={agent.name} budget={bounds.budget} ready={Object.keys(bounds.problems).length === 0} />
      ) : (
        <RunForm agent={agent} mode={mode} bounds={bounds} before={before} />
      )}
    </>
  );
}

interface RunFormProps {
  readonly agent: AgentDetail;
  readonly mode: Mode;
  readonly bounds: ReturnType<typeof boundsIn>;
  readonly before: RunDetail | undefined;
}

function RunForm({ agent, mode, bounds, before }: RunFormProps) {
  const input = useInput(agent, before);
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const key = useRef(freshKey());
  const isReady = Object.keys(input.problems).length === 0 && Object.keys(bounds.problems).length === 0;
  const start = async (): Promise<void> => {
    setTried(true);
    if (!isReady || busy) return;
    setBusy(true);
    keepInput(agent.name, input.value);
    try {
      const { name } = agent;
      const run = await starting.run({ agent: name, mode, input: input.value, budget: bounds.budget }, key.current);
      navigate(`/runs/${encodeURIComponent(run.id)}`);
    } catch (error) {
      key.current = freshKey(); // what is changed and sent again is another request
      setProblem(error);
      setBusy(false);
    }
  };
  return (
    <form
      class="card card-body start"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void start();
      }}
    >
      <h2>Input</h2>
      {input.fields === undefined ? (
        <JsonField
          label="JSON"
          text={input.text}
          problem={tried ? input.problems[''] : undefined}
          onText={input.setText}
        />
      ) : input.fields.length === 0 ? (
        <p class="quiet">No input needed.</p>
      ) : (
        <SchemaForm
          fields={input.fields}
          draft={input.draft}
          problems={tried ? input.problems : {}}
          onChange={input.setDraft}
        />
      )}
      <div class="actions">
        <button type="submit" class="button primary" disabled={busy}>
          {busy ? 'Starting…' : 'Start'}
        </button>
      </div>
      {problem === undefined ? null : <ErrorNote error={problem} />}
    </form>
  );
}

/** Begins with the input that is to be repeated, with what was typed last, or with the defaults of the schema. */
function useInput(agent: AgentDetail, before: RunDetail | undefined) {
  const fields = fieldsOf(agent.inputs);
  const [last] = useState(() => (before === undefined ? lastInput(agent.name) : before.input));
  const [draft, setDraft] = useState<Draft>(() => draftOf(fields ?? [], last));
  const [text, setText] = useState(() => (last === undefined ? '{}' : JSON.stringify(last, null, 2)));
  if (fields !== undefined) return { fields, draft, setDraft, text, setText, ...written(fields, draft, agent.inputs) };
  const read = fromJson(text);
  const [first] = 'problem' in read ? [] : problemsIn(agent.inputs, read.value);
  const said =
    'problem' in read ? read.problem : first === undefined ? undefined : `${first.at} ${first.message}`.trim();
  const problems: Readonly<Record<string, string>> = said === undefined ? {} : { '': said };
  return { fields, draft, setDraft, text, setText, value: 'value' in read ? read.value : undefined, problems };
}

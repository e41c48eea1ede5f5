import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { href, place, setQuery } from '../router/router.js';
import { watchRun } from '../run/watch-run.js';
import { ErrorNote } from '../ui/error-note.js';
import { type Bounds, type Conversation, freshKey, starting, type Turn } from './agents.js';

/** A conversation, turn by turn, with the answer as it is written. Its address holds its id: a reload goes on with it. */
export function Chat({
  agent,
  budget,
  ready,
}: {
  readonly agent: string;
  readonly budget: Bounds;
  readonly ready: boolean;
}) {
  const id = place.value.query.get('chat') ?? undefined;
  const [problem, setProblem] = useState<unknown>();
  const begin = async (): Promise<void> => {
    setProblem(undefined);
    try {
      const { id: fresh } = await starting.conversation({ agent, budget }, freshKey());
      setQuery({ chat: fresh });
    } catch (error) {
      setProblem(error);
    }
  };
  if (id !== undefined) return <OpenChat key={id} id={id} onAnother={() => setQuery({ chat: undefined })} />;
  return (
    <div class="card card-body">
      <button type="button" class="button primary" disabled={!ready} onClick={() => void begin()}>
        Start a conversation
      </button>
      {problem === undefined ? null : <ErrorNote error={problem} />}
    </div>
  );
}

function OpenChat({ id, onAnother }: { readonly id: string; readonly onAnother: () => void }) {
  const { conversation, arriving, said, problem, say, end } = useConversation(id);
  const turns = conversation?.turns ?? [];
  const isOver = conversation !== undefined && ENDED.has(conversation.status);
  const box = useRef<HTMLOListElement>(null);
  useEffect(() => box.current?.lastElementChild?.scrollIntoView({ block: 'nearest' }), [turns.length, said, arriving]);
  return (
    <section class="card chat" aria-label="Conversation">
      <ol class="turns" ref={box} aria-live="polite">
        {turns.map((turn) => (
          <TurnView key={turn.turn} turn={turn} {...(turn === turns.at(-1) ? { arriving } : {})} />
        ))}
        {said === undefined || turns.at(-1)?.said === said ? null : (
          <TurnView turn={{ turn: turns.length + 1, said }} arriving={arriving} />
        )}
      </ol>
      {conversation !== undefined && !conversation.listens && !isOver && said === undefined ? (
        <p class="quiet chat-note">
          It is working or waiting for somebody. See the <a href={href('/inbox')}>inbox</a>.
        </p>
      ) : null}
      {problem === undefined ? null : <ErrorNote error={problem} />}
      {isOver ? (
        <p class="quiet chat-note">The conversation has ended ({conversation.status}).</p>
      ) : (
        <Say onSay={say} busy={said !== undefined} />
      )}
      <footer class="chat-foot quiet">
        <a href={href(`/runs/${encodeURIComponent(id)}`)}>View the run</a>
        {isOver ? null : (
          <button type="button" class="button small" onClick={() => void end()}>
            End conversation
          </button>
        )}
        <button type="button" class="button small" onClick={onAnother}>
          Start another
        </button>
      </footer>
    </section>
  );
}

const ENDED: ReadonlySet<string> = new Set(['done', 'degraded', 'failed', 'blocked', 'cancelled']);

function TurnView({ turn, arriving = '' }: { readonly turn: Turn; readonly arriving?: string }) {
  const { said, answer, because } = turn;
  const text = answer ?? arriving;
  return (
    <li class="turn" data-turn={turn.turn}>
      {said === '' ? null : <p class="turn-said">{said}</p>}
      {text === '' && because === undefined ? (
        <p class="turn-answer quiet">…</p>
      ) : (
        <p class={`turn-answer ${answer === undefined ? 'arriving' : ''}`}>{text}</p>
      )}
      {because === undefined ? null : <p class="field-problem">{because}</p>}
    </li>
  );
}

function Say({ onSay, busy }: { readonly onSay: (text: string) => void; readonly busy: boolean }) {
  const [text, setText] = useState('');
  const id = useId();
  const send = () => {
    if (text.trim() === '' || busy) return;
    onSay(text);
    setText('');
  };
  return (
    <form
      class="say"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label class="visually-hidden" for={id}>
        Your message
      </label>
      <textarea
        id={id}
        class="field"
        rows={2}
        placeholder="Type a message (Enter to send, Shift+Enter for a new line)"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <button type="submit" class="button primary" disabled={busy}>
        Send
      </button>
    </form>
  );
}

/** The server is asked again whenever the run changes: an answer may come long after it was asked for. */
function useConversation(id: string) {
  const model = useMemo(() => watchRun(id), [id]);
  const [conversation, setConversation] = useState<Conversation>();
  const [said, setSaid] = useState<string>();
  const [problem, setProblem] = useState<unknown>();
  useEffect(() => () => model.close(), [model]);
  const card = model.card.value;
  const state = `${card?.status} ${card?.waiting.join(' ')} ${card?.entries}`;
  const read = async (): Promise<void> => {
    try {
      setConversation(await starting.read(id));
    } catch (error) {
      setProblem(error);
    }
  };
  useEffect(() => void read(), [id, state]);
  const tell = async (send: () => Promise<Conversation>): Promise<void> => {
    setProblem(undefined);
    try {
      setConversation(await send());
    } catch (error) {
      setProblem(error);
      await read();
    }
    setSaid(undefined);
  };
  return {
    conversation,
    arriving: [...model.arriving.value.values()].join('\n'),
    said,
    problem,
    say: (text: string) => {
      setSaid(text);
      void tell(() => starting.say(id, text, freshKey()));
    },
    end: () => tell(() => starting.end(id)),
  };
}

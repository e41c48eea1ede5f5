import { useComputed } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { originOf, runOfPrompt } from '../run/inherited.js';
import { PrefixFold } from '../run/prefix-fold.js';
import type { RunModel } from '../run/run-model.js';
import { count, dollars } from '../ui/amounts.js';
import { Empty } from '../ui/empty.js';
import { VirtualList } from '../ui/virtual-list.js';
import { BAND_WORDS, BANDS } from './bands.js';
import { TurnFold } from './fold-conversation.js';
import type { Turn } from './turn.js';
import { TurnView } from './turn-view.js';
import './conversation.css';

/** Calls that are in the page at a time: each has texts of its own, and nobody reads more at once. */
const PAGE = 10;
const INDEX_ROW = 44;

/** The first call that is shown, or `end` to follow the newest ones. */
type From = number | 'end';

/** All model calls of a run, to be read from top to bottom. */
export function ConversationTab({ model }: { readonly model: RunModel }) {
  const fold = useMemo(
    () =>
      new PrefixFold(
        () => new TurnFold(),
        (each) => each.turns(),
      ),
    [],
  );
  const turns = useComputed(() => fold.of(model.story.value)).value;
  const [from, setFrom] = useState<From>(() => startAt(turns, model.selected.peek()));
  const [picked, setPicked] = useState<number | undefined>(undefined);
  useEffect(() => {
    if (picked !== undefined) document.getElementById(`turn-${picked}`)?.scrollIntoView({ block: 'start' });
  }, [picked]);
  if (turns.length === 0) return <Empty title="No model calls yet.">Calls appear here as they are made.</Empty>;
  const last = Math.max(0, turns.length - PAGE);
  const first = from === 'end' ? last : Math.min(from, last);
  const goTo = (index: number) => {
    setFrom(index >= last ? 'end' : Math.max(0, index - 1));
    setPicked(turns[index]?.n);
  };
  return (
    <div class="conversation">
      <nav class="conversation-index" aria-label="Model calls">
        <Totals turns={turns} />
        <div class="index-list" style={{ height: `${turns.length * INDEX_ROW + 2}px` }}>
          <VirtualList
            items={turns}
            rowHeight={INDEX_ROW}
            label="All model calls"
            keyOf={(turn) => turn.key}
            stickToEnd={from === 'end'}
            row={(turn, index) => <IndexRow turn={turn} isPicked={picked === turn.n} onPick={() => goTo(index)} />}
          />
        </div>
      </nav>
      <div class="conversation-flow">
        <Legend />
        {first === 0 ? null : (
          <button type="button" class="button" onClick={() => setFrom(Math.max(0, first - PAGE))}>
            ↑ {first} earlier {first === 1 ? 'call' : 'calls'}
          </button>
        )}
        {turns.slice(first, first + PAGE).map((turn) => (
          <TurnView
            key={turn.key}
            runOf={(tip) => runOfPrompt(model.inherited.value, model.runId, tip)}
            origin={originOf(model.inherited.value, turn.seq)?.run}
            turn={turn}
            arriving={model.arriving.value.get(turn.id)}
          />
        ))}
        {first + PAGE >= turns.length ? null : (
          <button type="button" class="button" onClick={() => setFrom(first + PAGE >= last ? 'end' : first + PAGE)}>
            ↓ {turns.length - first - PAGE} later calls
          </button>
        )}
      </div>
    </div>
  );
}

/** What was picked in another view is what the reader wants to see here. */
function startAt(turns: readonly Turn[], selected: string | undefined): From {
  const index = turns.findIndex(
    ({ generation, id, uses }) =>
      `${generation}:${id}` === selected || uses.some(({ effect }) => `${generation}:${effect}` === selected),
  );
  if (index !== -1) return Math.max(0, index - 1);
  return turns.length > PAGE ? 'end' : 0;
}

function IndexRow({
  turn,
  isPicked,
  onPick,
}: {
  readonly turn: Turn;
  readonly isPicked: boolean;
  readonly onPick: () => void;
}) {
  const { n, session, status, uses, tokensIn, tokensOut, costUsd } = turn;
  const sign = status === 'open' ? '▶' : status === 'ok' ? '✓' : '✗';
  const tools = uses.map(({ tool }) => tool).join(', ');
  return (
    <button type="button" class={`index-row ${isPicked ? 'picked' : ''}`} onClick={onPick}>
      <span class="index-line">
        <span aria-hidden="true">{sign}</span> <strong>{n}</strong> <span class="cut">{session}</span>
        <span class="number quiet">{dollars(costUsd)}</span>
      </span>
      <span class="index-line quiet">
        <span class="cut">{tools === '' ? 'text' : `→ ${tools}`}</span>
        <span class="number">
          {count(tokensIn)} / {count(tokensOut)}
        </span>
      </span>
    </button>
  );
}

function Totals({ turns }: { readonly turns: readonly Turn[] }) {
  const sum = (of: (turn: Turn) => number) => turns.reduce((all, turn) => all + of(turn), 0);
  const cost = dollars(sum(({ costUsd }) => costUsd));
  return (
    <p class="totals quiet">
      {count(turns.length)} {turns.length === 1 ? 'call' : 'calls'} · {count(sum(({ tokensIn }) => tokensIn))} in ·{' '}
      {count(sum(({ tokensOut }) => tokensOut))} out · {cost}
    </p>
  );
}

function Legend() {
  return (
    <ul class="band-legend" aria-label="Bands of a prompt">
      {BANDS.map((band) => (
        <li key={band} title={BAND_WORDS[band].about}>
          <span class={`swatch band-${band}`} aria-hidden="true" /> {BAND_WORDS[band].title}
        </li>
      ))}
      <li title="Shared with an earlier call, so the provider can use its cache">
        <span class="swatch band-log cached" aria-hidden="true" /> Cached part
      </li>
    </ul>
  );
}

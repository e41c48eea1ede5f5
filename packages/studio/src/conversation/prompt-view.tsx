import { useState } from 'preact/hooks';
import { BLANK } from '../../../flyball/src/views/privacy.js';
import { count } from '../ui/amounts.js';
import { ErrorNote } from '../ui/error-note.js';
import { BAND_WORDS, TRUST_TITLES, TRUST_WORDS } from './bands.js';
import { FoldedText } from './folded-text.js';
import { type Loaded, promptOf, promptPath, retryPrompt } from './prompt-cache.js';
import { PromptMedia } from './prompt-media.js';
import { type PromptSegment, segmentsWith, sizeOf, tokensOf } from './prompt-segments.js';
import type { Turn } from './turn.js';

/** The run that has a prompt, by its last link. */
export type RunOf = (tip: string) => string;

/** What a call was asked with: what was there before is folded, so that the reader sees what is new. */
export function PromptView({ runOf, turn }: { readonly runOf: RunOf; readonly turn: Turn }) {
  if (turn.tip === BLANK) return <p class="quiet prompt-loading">The prompt is private.</p>;
  const loaded = loadedFor(runOf, turn);
  if (loaded === undefined) return <p class="quiet prompt-loading">Loading the prompt…</p>;
  if (loaded.state === 'failed')
    return <ErrorNote error={loaded.error} onRetry={() => retryPrompt(runOf(turn.tip), turn.tip)} />;
  return <Segments segments={loaded.segments} n={turn.n} path={promptPath(runOf(turn.tip), turn.tip)} />;
}

/** Undefined while it loads. Reads signals: whoever draws it is drawn again when a prompt arrives. */
function loadedFor(runOf: RunOf, { tip, previousTip }: Turn): Exclude<Loaded, { state: 'loading' }> | undefined {
  const own = promptOf(runOf(tip), tip).value;
  const isOther = previousTip !== undefined && previousTip !== tip && previousTip !== BLANK;
  const before = isOther ? promptOf(runOf(previousTip), previousTip).value : undefined;
  if (own.state === 'failed') return own;
  if (own.state === 'loading' || before?.state === 'loading') return undefined; // so that nothing changes its mark later
  return {
    state: 'ready',
    segments: segmentsWith(own.segments, before?.state === 'ready' ? before.segments : undefined),
  };
}

function Segments({
  segments,
  n,
  path,
}: {
  readonly segments: readonly PromptSegment[];
  readonly n: number;
  readonly path: string;
}) {
  const [all, setAll] = useState(false);
  const known = segments.filter(({ cached }) => cached);
  const tokens = tokensOf(segments);
  return (
    <div class="prompt">
      <PromptBar segments={segments} />
      {known.length === 0 ? null : (
        <button type="button" class="known" aria-expanded={all} onClick={() => setAll(!all)}>
          <span aria-hidden="true">{all ? '▾' : '▸'}</span> {known.length} unchanged{' '}
          {known.length === 1 ? 'segment' : 'segments'} from earlier calls
          <span class="chip cached-chip">cached</span>
          <span class="number quiet">{count(tokens.cached)} tokens</span>
        </button>
      )}
      <ol class="segments" aria-label={`Prompt of call ${n}`}>
        {(all ? segments : segments.filter(({ cached }) => !cached)).map((segment) => (
          <SegmentView key={segment.id} segment={segment} path={path} />
        ))}
      </ol>
    </div>
  );
}

function SegmentView({ segment, path }: { readonly segment: PromptSegment; readonly path: string }) {
  const { band, role, trust, cached, content, name, media = [] } = segment;
  return (
    <li class={`segment band-${band} ${cached ? 'cached' : ''}`} data-band={band} data-cached={cached}>
      <div class="segment-head">
        <span class="chip band-chip" title={BAND_WORDS[band]?.about}>
          {BAND_WORDS[band]?.title ?? band}
        </span>
        <span>{name === undefined ? role : `${role}: ${name}`}</span>
        <span class={`trust trust-${trust}`} title={TRUST_WORDS[trust]}>
          {TRUST_TITLES[trust] ?? trust}
        </span>
        {cached ? <span class="chip cached-chip">cached</span> : <span class="chip new-chip">new</span>}
        <span class="number quiet">{count(sizeOf(segment))} tokens</span>
      </div>
      {content === '' ? (
        <p class="quiet">No text, only tool calls.</p>
      ) : (
        <FoldedText text={content} label="this segment" />
      )}
      {media.map((head, index) => (
        <PromptMedia key={`${index} ${head.hash}`} head={head} path={path} />
      ))}
    </li>
  );
}

/** The prompt at a glance: each segment as wide as its share, hatched where it is cached. */
function PromptBar({ segments }: { readonly segments: readonly PromptSegment[] }) {
  const { cached, fresh } = tokensOf(segments);
  const text = `${segments.length} segments, about ${count(cached)} tokens cached and ${count(fresh)} new`;
  return (
    <div class="prompt-bar" role="img" aria-label={text} title={text}>
      {segments.map((segment) => (
        <span
          key={segment.id}
          class={`band-${segment.band} ${segment.cached ? 'cached' : ''}`}
          style={{ flexGrow: String(Math.max(1, sizeOf(segment))) }}
        />
      ))}
    </div>
  );
}

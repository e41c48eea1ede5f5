import type { ComponentChildren } from 'preact';
import { ApprovalLine } from '../gates/approval-line.js';
import { DecisionList } from '../gates/decision-list.js';
import { fieldsOf } from '../plan/fields.js';
import { duration } from '../ui/amounts.js';
import { Badge } from '../ui/badge.js';
import { Code } from '../ui/code.js';
import { mediaOf } from '../ui/media.js';
import { MediaList } from '../ui/media-view.js';
import type { Tone } from '../ui/tone.js';
import { FoldedText } from './folded-text.js';
import { readableJson } from './readable-json.js';
import type { CallStatus, ToolUse } from './turn.js';

const STATUS: Readonly<Record<CallStatus, { readonly text: string; readonly tone: Tone }>> = {
  proposed: { text: '… proposed', tone: 'idle' },
  waiting: { text: '‖ waiting for a person', tone: 'warn' },
  running: { text: '▶ running', tone: 'busy' },
  ok: { text: '✓ done', tone: 'good' },
  failed: { text: '✗ failed', tone: 'bad' },
  refused: { text: '⊘ refused', tone: 'bad' },
  'not-made': { text: '– not made', tone: 'idle' },
};

/** A tool call: what it was asked with, who had a say, and what came of it. */
export function ToolUseView({ use }: { readonly use: ToolUse }) {
  const { tool, status, args, calledWith, failure, how, ms, decisions, approvals } = use;
  return (
    <li class={`use use-${status}`} data-status={status}>
      <div class="use-head">
        <span class="use-name">
          <span class="visually-hidden">Tool call </span>
          {tool}
        </span>
        <Badge tone={STATUS[status].tone}>{STATUS[status].text}</Badge>
        {how === undefined ? null : <span class="quiet">{how}</span>}
        {ms === undefined ? null : <span class="number quiet">{duration(ms)}</span>}
      </div>
      <Part title="Arguments">
        <Code value={readableJson(args)} label={`Arguments of ${tool}`} />
      </Part>
      {calledWith === undefined ? null : (
        <Part title="Called with">
          <Code value={readableJson(calledWith)} label={`What ${tool} was called with`} />
        </Part>
      )}
      {decisions.length === 0 ? null : (
        <Part title="Guards">
          <DecisionList decisions={decisions} />
        </Part>
      )}
      {approvals.map((approval) => (
        <Part key={approval.id} title="Person">
          <ApprovalLine approval={approval} />
        </Part>
      ))}
      {'result' in use ? (
        <Part title="Result">
          <Result value={use.result} tool={tool} />
        </Part>
      ) : null}
      {failure === undefined ? null : (
        <Part title={status === 'refused' ? 'Refused' : 'Failure'}>
          <p class="failure">
            {failure.message} <code class="quiet">{failure.code}</code>
          </p>
        </Part>
      )}
    </li>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <div class="use-part">
      <div class="use-title">{title}</div>
      <div class="use-body">{children}</div>
    </div>
  );
}

/** Most results are what the model reads: a text, alone or in a field of its own. */
function Result({ value, tool }: { readonly value: unknown; readonly tool: string }) {
  const { content, text, parts } = fieldsOf(value);
  const words = typeof value === 'string' ? value : (content ?? text);
  if (typeof words !== 'string') return <Code value={readableJson(value)} label={`Result of ${tool}`} />;
  return (
    <>
      <FoldedText text={words} label={`the result of ${tool}`} />
      <MediaList all={mediaOf(parts)} />
    </>
  );
}

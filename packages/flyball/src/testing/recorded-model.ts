import { ConfigError, FlyballError } from '../core/errors.js';
import type { Model, ModelCallContext, ModelReply, ModelRequest } from '../core/model.js';
import { CASSETTE_VERSION, type Cassette, type Interaction, readCassette, writeCassette } from './cassette.js';
import { frozenCopy } from './frozen-copy.js';
import { differenceOf } from './request-difference.js';
import { contentOf, replyContentOf, requestKey } from './request-identity.js';
import { shorten } from './script.js';
import { streamReply } from './stream-reply.js';
import { estimateInput } from './token-estimate.js';

/** Options of `recordedModel`. */
export interface RecordedModelOptions {
  readonly file: string;
  /** The real model; only `replay` does without it. */
  readonly model?: Model;
  /** replay: the file only. record: starts the file anew. auto: the file where it answers, the model where it does not. */
  readonly mode: 'replay' | 'record' | 'auto';
  /** Takes out what differs from run to run (a date in a prompt, say) before requests are compared. */
  readonly normalize?: (request: ModelRequest) => ModelRequest;
}

/** A model that replays recorded replies. */
export interface RecordedModel extends Model {
  /** Every request in the order made, in full and frozen. */
  readonly requests: readonly ModelRequest[];
}

/**
 * Records the replies of a real model once and replays them offline. Identical requests get their replies in the
 * recorded order. Failed calls are not recorded.
 */
export function recordedModel(options: RecordedModelOptions): RecordedModel {
  const { mode } = options;
  const live = mode === 'replay' ? undefined : options.model;
  if (mode !== 'replay' && live === undefined) {
    throw new ConfigError(`Mode "${mode}" records, so it needs the real model: pass { model }, or use mode "replay".`);
  }
  const found = mode === 'record' ? undefined : readCassette(options.file);
  const described = live ?? found?.model;
  if (described === undefined) throw missingFile(options.file);

  const { id, capabilities } = described;
  const reel = new Reel(found?.interactions ?? []);
  const requests: ModelRequest[] = [];
  const keyOf = (request: ModelRequest): string => requestKey(options.normalize?.(request) ?? request);

  async function record(model: Model, request: ModelRequest, how: ModelCallContext): Promise<ModelReply> {
    const content = frozenCopy(contentOf(request));
    const place = reel.reserve(keyOf(request));
    const reply = frozenCopy(replyContentOf(await model.generate(request, how)));
    place.fill({ key: keyOf(request), request: content, counted: model.countTokens(request), reply });
    writeCassette(options.file, {
      version: CASSETTE_VERSION,
      model: { id, capabilities },
      interactions: reel.filled(),
    });
    return reply;
  }

  return {
    id,
    capabilities,
    requests,
    countTokens(request) {
      return live?.countTokens(request) ?? reel.peek(keyOf(request))?.counted ?? estimateInput(request.messages);
    },
    async generate(request, how) {
      how.signal.throwIfAborted();
      requests.push(frozenCopy(request));
      const key = keyOf(request);
      const recorded = mode === 'record' ? undefined : reel.next(key);
      if (recorded === undefined) {
        if (live !== undefined) return record(live, request, how);
        throw missingInteraction(request, { file: options.file, reel, key });
      }
      if (how.onDelta !== undefined) streamReply(recorded.reply, { signal: how.signal, onDelta: how.onDelta });
      return recorded.reply;
    },
  };
}

/** The interactions in the order in which their calls were made, also when calls overlap. */
class Reel {
  private readonly slots: { key: string; interaction: Interaction | undefined }[];
  private readonly byKey = new Map<string, Interaction[]>();
  private readonly played = new Map<string, number>();

  constructor(recorded: Cassette['interactions']) {
    this.slots = recorded.map((interaction) => ({ key: interaction.key, interaction: frozenCopy(interaction) }));
    for (const { key, interaction } of this.slots) {
      if (interaction !== undefined) this.byKey.set(key, [...(this.byKey.get(key) ?? []), interaction]);
    }
  }

  /** The next recorded interaction of this key; each is played once. */
  next(key: string): Interaction | undefined {
    const interaction = this.peek(key);
    if (interaction !== undefined) this.played.set(key, (this.played.get(key) ?? 0) + 1);
    return interaction;
  }

  peek(key: string): Interaction | undefined {
    return this.byKey.get(key)?.[this.played.get(key) ?? 0];
  }

  recordings(key: string): number {
    return this.byKey.get(key)?.length ?? 0;
  }

  reserve(key: string): { fill(interaction: Interaction): void } {
    const slot: { key: string; interaction: Interaction | undefined } = { key, interaction: undefined };
    this.slots.push(slot);
    return {
      fill(interaction) {
        slot.interaction = interaction;
      },
    };
  }

  filled(): readonly Interaction[] {
    return this.slots.flatMap(({ interaction }) => (interaction === undefined ? [] : [interaction]));
  }
}

function missingFile(file: string): FlyballError {
  return new FlyballError(
    'CASSETTE_MISSING',
    `There is no cassette ${file}. Record it with mode "record" and a real model.`,
    {
      detail: { file },
    },
  );
}

function missingInteraction(
  request: ModelRequest,
  at: { readonly file: string; readonly reel: Reel; readonly key: string },
): FlyballError {
  const last = shorten(request.messages.at(-1)?.content ?? '');
  return new FlyballError(
    'CASSETTE_MISSING',
    `Cassette ${at.file} has no answer for session "${request.session}" (last message: "${last}"). ` +
      `${whyMissing(request, at)} Restore the request, or record again with mode "auto" and a real model.`,
    { detail: { file: at.file, session: request.session, key: at.key } },
  );
}

function whyMissing(request: ModelRequest, at: { readonly reel: Reel; readonly key: string }): string {
  const times = at.reel.recordings(at.key);
  if (times > 0) return `This request is recorded ${times === 1 ? 'once' : `${times} times`} and was asked once more.`;
  const nearest = at.reel
    .filled()
    .map((interaction, index) => ({ number: index + 1, ...differenceOf(interaction.request, contentOf(request)) }))
    .reduce<{ number: number; closeness: number; clause: string } | undefined>(
      (best, each) => (best === undefined || each.closeness > best.closeness ? each : best),
      undefined,
    );
  if (nearest === undefined) return 'The cassette is empty.';
  return `The nearest recorded request, number ${nearest.number}, differs: ${nearest.clause}.`;
}

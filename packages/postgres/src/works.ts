import type { Batch, Claim, NewRun, Rest } from 'flyball/adapters/engine-kit';

/** What is written for a run, together with what others write: see `Lane`. */
export type Job =
  | { readonly kind: 'create'; readonly run: NewRun; readonly ticket: string }
  | { readonly kind: 'append'; readonly claim: Claim; readonly batch: Batch }
  | { readonly kind: 'release'; readonly claim: Claim; readonly rest: Rest };

export type Work = Job & {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  /** It was sent, and its answer was lost. */
  doubt?: true;
};

export type Of<K extends Work['kind']> = Extract<Work, { kind: K }>;

export function runOf(work: Job): string {
  return work.kind === 'create' ? work.run.id : work.claim.runId;
}

export function batchOf(work: Job): Batch | undefined {
  if (work.kind === 'release') return undefined;
  return work.kind === 'create' ? work.run.first : work.batch;
}

/** About. */
export function bytesOf(work: Job): number {
  const batch = batchOf(work);
  let bytes = 200;
  for (const { body } of batch?.entries ?? []) bytes += body.length;
  for (const [, content] of batch?.blobs ?? []) bytes += content.length;
  for (const { content, header } of batch?.links ?? []) bytes += header.length + (content?.length ?? 0);
  return bytes;
}

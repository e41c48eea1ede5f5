import { contentId, isStoredApart } from '../../core/codec.js';
import { headerOf, type Prompt } from '../../core/prompt.js';
import type { Attempt } from '../attempt.js';

/** Hands the journal the links it does not have yet: a growing conversation writes only what is new. */
export function storeLinks(attempt: Attempt, tip: Prompt): void {
  const fresh: Prompt[] = [];
  for (
    let link: Prompt | undefined = tip;
    link !== undefined && !attempt.journal.storedLinks.has(link.id);
    link = link.parent
  )
    fresh.push(link);
  for (const link of fresh.reverse()) {
    attempt.journal.storedLinks.add(link.id);
    const { content } = link.segment;
    const head = { id: link.id, parent: link.parent?.id, header: headerOf(link.segment) };
    if (!isStoredApart(content)) {
      attempt.journal.writer.link({ ...head, content }, undefined);
      continue;
    }
    const blob = contentId(content);
    attempt.journal.writer.link({ ...head, blob }, [blob, content]);
  }
}

/** On replay: the journal has them since an earlier life. */
export function rememberLinks(attempt: Attempt, tip: Prompt): void {
  for (
    let link: Prompt | undefined = tip;
    link !== undefined && !attempt.journal.storedLinks.has(link.id);
    link = link.parent
  ) {
    attempt.journal.storedLinks.add(link.id);
  }
}

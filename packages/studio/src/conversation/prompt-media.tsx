import { useState } from 'preact/hooks';
import { api } from '../api/client.js';
import { ErrorNote } from '../ui/error-note.js';
import { type Media, type MediaHead, sizeText } from '../ui/media.js';
import { MediaView } from '../ui/media-view.js';

/** An image of a prompt: named with its size, and fetched when somebody wants to see it. */
export function PromptMedia({ head, path }: { readonly head: MediaHead; readonly path: string }) {
  const [media, setMedia] = useState<Media>();
  const [error, setError] = useState<unknown>();
  const { type, name = type, mediaType, bytes, hash } = head;
  const load = (): void => {
    setError(undefined);
    api.get<Media>(`${path}/media/${encodeURIComponent(hash)}`).then(setMedia, setError);
  };
  if (error !== undefined) return <ErrorNote error={error} onRetry={load} />;
  if (media !== undefined) return <MediaView media={media} />;
  return (
    <button type="button" class="button small media-load" onClick={load}>
      Show {name}{' '}
      <span class="quiet">
        {mediaType}, {sizeText(bytes)}
      </span>
    </button>
  );
}

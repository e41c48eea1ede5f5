import { bytesOf, isDrawn, type Media, sizeText } from './media.js';

/** An image as a picture, anything else as its name and size with a way to save it. */
export function MediaView({ media }: { readonly media: Media }) {
  const { type, mediaType, name = type } = media;
  const words = `${name}, ${mediaType}, ${sizeText(bytesOf(media))}`;
  const url = `data:${mediaType};base64,${media.data}`;
  return (
    <figure class="media">
      {isDrawn(mediaType) ? <img src={url} alt={words} loading="lazy" /> : null}
      <figcaption>
        {words}{' '}
        <a class="button small" href={url} download={name}>
          Save<span class="visually-hidden"> {name}</span>
        </a>
      </figcaption>
    </figure>
  );
}

export function MediaList({ all }: { readonly all: readonly Media[] }) {
  return all.length === 0 ? null : (
    <div class="media-list">
      {all.map((media, index) => (
        <MediaView key={`${index} ${media.name}`} media={media} />
      ))}
    </div>
  );
}

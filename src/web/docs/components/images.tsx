/** Renders images that the service itself has generated. */
import type { ReactNode } from 'react';
import { useSource } from './facts.tsx';

/**
 * Shows an image with its own width and height, so that the layout does not shift when it loads. `of` is the name of a
 * file in `public/pictures`, without its extension; `early` means that the image is visible when the page opens.
 */
export function Picture({ of, early = false }: { of: string; early?: boolean }): ReactNode {
  const picture = useSource().pictures[of];
  if (picture === undefined) throw new Error(`public/pictures has no image named ${of}`);
  const { url, width, height, text } = picture;
  const image = <img src={url} width={width} height={height} alt={text} loading={early ? undefined : 'lazy'} />;
  // Outside a picture element, React would add a preload link in front of the article.
  return early ? <picture>{image}</picture> : image;
}

/** Shows the result of a sample as an image below it. */
export function Outcome(props: { of: string; status?: string; children?: ReactNode }): ReactNode {
  const { of, status = '200', children } = props;
  return (
    <figure className="outcome">
      <figcaption>
        <span className="badge good">{status}</span>
        <span>{children}</span>
      </figcaption>
      <Picture of={of} />
    </figure>
  );
}

/** Renders images that the service itself has generated. */
import type { ReactNode } from 'react';
import { useSource } from './facts.tsx';

interface PictureProps {
  /** Name of a file in `public/pictures`, without its extension. */
  of: string;
  /** Whether it is visible when the page opens. */
  early?: boolean;
}

/** Shows an image with its own width and height, so that the layout does not shift when it loads. */
export function Picture({ of, early = false }: PictureProps): ReactNode {
  const picture = useSource().pictures[of];
  if (picture === undefined) throw new Error(`public/pictures has no image named ${of}`);
  const { url, width, height, text } = picture;
  const image = <img src={url} width={width} height={height} alt={text} loading={early ? undefined : 'lazy'} />;
  // Outside a picture element, React would add a preload link in front of the article.
  return early ? <picture>{image}</picture> : image;
}

/** Shows the result of a sample as an image below it. */
export function Outcome({
  of,
  status = '200',
  children,
}: {
  of: string;
  status?: string;
  children?: ReactNode;
}): ReactNode {
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

/** Renders pictures that the service itself has made. */
import type { ReactNode } from 'react';
import { useSource } from './facts.tsx';

interface PictureProps {
  /** Name of a file in `public/pictures`, without its ending. */
  of: string;
  /** Whether readers see it at once. */
  early?: boolean;
}

/** A picture at its own size, so that nothing moves when it arrives. */
export function Picture({ of, early = false }: PictureProps): ReactNode {
  const picture = useSource().pictures[of];
  if (picture === undefined) throw new Error(`public/pictures has no picture ${of}`);
  const { url, width, height, text } = picture;
  const image = <img src={url} width={width} height={height} alt={text} loading={early ? undefined : 'lazy'} />;
  // React would put a line that loads it ahead in front of the article, unless it is in a picture element.
  return early ? <picture>{image}</picture> : image;
}

/** What a sample gives back, as a picture below it. */
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

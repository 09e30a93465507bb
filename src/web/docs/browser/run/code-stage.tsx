/** Shows the page of a module while the module runs, and its last frame afterward. */
import { type ReactNode, useRef, useState } from 'react';

const texts = {
  idle: 'The page appears here while the code runs.',
  starting: 'Starting the code.',
  ended: 'The code has finished.',
  none: 'Nothing to show: the code finished before its page was rendered.',
} as const;

export interface CodeStage {
  element: ReactNode;
  start(): void;
  show(jpeg: Uint8Array<ArrayBuffer>): void;
  end(): void;
}

export function useCodeStage(): CodeStage {
  const [text, setText] = useState<string>(texts.idle);
  const [hasFrame, setPicture] = useState(false);
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawn = useRef(0);
  const received = useRef(0);

  const draw = async (jpeg: Uint8Array<ArrayBuffer>) => {
    const mine = ++received.current;
    // Bytes from the code's page are decoded only as a JPEG.
    const picture = await createImageBitmap(new Blob([jpeg], { type: 'image/jpeg' }));
    const target = canvas.current;
    if (mine > drawn.current && target !== null) {
      drawn.current = mine;
      target.width = picture.width;
      target.height = picture.height;
      target.getContext('2d')?.drawImage(picture, 0, 0);
      setPicture(true);
    }
    picture.close();
  };
  const element = (
    <figure className="run-stage">
      <div role="status" className={hasFrame ? 'below' : undefined}>
        {text === '' ? null : <p key={text}>{text}</p>}
      </div>
      <canvas ref={canvas} role="img" aria-label="Page used by the code" hidden={!hasFrame} />
    </figure>
  );
  return {
    element,
    start: () => {
      drawn.current = received.current;
      setPicture(false);
      setText(texts.starting);
    },
    show: (jpeg) => {
      setText('');
      draw(jpeg).catch(() => undefined);
    },
    end: () => setText(received.current > drawn.current || hasFrameIn(canvas.current) ? texts.ended : texts.none),
  };
}

const hasFrameIn = (canvas: HTMLCanvasElement | null): boolean => canvas !== null && !canvas.hidden;

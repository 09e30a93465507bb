/** The document around every page: its head, and the body with data attributes for the script. */
import type { ReactNode } from 'react';

/** URL paths under the base path. */
export interface Assets {
  style: string;
  script: string;
  /** Static imports of the script, to preload: otherwise the browser would discover them too late. */
  parts: readonly string[];
  /** The script of a document that the page creates; empty for none. */
  inFrame: string;
  /** The font of the text. */
  font: string;
  /** The script of the color switch. */
  colorMode: string;
  icon: string;
}

interface DocumentProps {
  assets: Assets;
  title: string;
  /** Placeholders of slots. */
  base: string;
  theme: string;
  /** Attributes of the body; a page without them has no script. */
  data?: Readonly<Record<`data-${string}`, string>>;
  /** The page has a color switch. */
  switchesTheme?: boolean;
  children: ReactNode;
}

export const Document = (props: DocumentProps): ReactNode => {
  const { assets, title, base, theme, data, switchesTheme, children } = props;
  return (
    <html lang="en" data-theme={theme} data-theme-choice={switchesTheme ? 'system' : undefined}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        <link rel="icon" href={base + assets.icon} />
        {/* Not a module: it restores the choice before the first paint. */}
        {switchesTheme ? <script src={base + assets.colorMode} /> : null}
        <link rel="preload" as="font" href={base + assets.font} crossOrigin="" />
        <link rel="stylesheet" href={base + assets.style} />
        {data === undefined ? null : (
          <>
            <script type="module" src={base + assets.script} />
            {assets.parts.map((path) => (
              <link key={path} rel="modulepreload" href={base + path} />
            ))}
          </>
        )}
      </head>
      <body {...data}>{children}</body>
    </html>
  );
};

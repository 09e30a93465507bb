/** Shows JSON as a tree with collapsible branches, with images and PDFs in place of their base64 text. */
import { type ReactNode, useMemo, useState } from 'react';
import { formatBytes, mediaInText, MediaView } from './media.tsx';

/** Branches at this depth or deeper are collapsed at first. */
const openDepth = 3;
/** Deeper values are shown as text, because each level nests another element. */
const maxDepth = 40;
/** Number of entries shown at a time. */
const step = 100;
/** Length at which strings are cut until the reader asks for the rest, in characters. */
const maxCharacters = 400;

interface NodeProps {
  /** Undefined for the root and for entries of lists. */
  name?: string;
  value: unknown;
  depth: number;
  isLast: boolean;
}

export function JsonTree({ value }: { value: unknown }): ReactNode {
  return (
    <div className="json-tree" role="group" aria-label="JSON">
      <JsonNode value={value} depth={0} isLast />
    </div>
  );
}

function JsonNode(props: NodeProps): ReactNode {
  const { value, depth } = props;
  if (typeof value === 'string') return <StringLine {...props} value={value} />;
  const isBranch = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (!isBranch || depth >= maxDepth) return <Line {...props}>{JSON.stringify(value)}</Line>;
  return <Branch {...props} value={value} />;
}

const Name = ({ name }: { name: string | undefined }): ReactNode =>
  name === undefined ? null : (
    <>
      <span className="json-name">{JSON.stringify(name)}</span>
      {': '}
    </>
  );

function Line({ name, value, isLast, children }: NodeProps & { children: ReactNode }): ReactNode {
  return (
    <div className="json-line">
      <Name name={name} />
      <span className={typeof value === 'string' ? 'json-string' : 'json-value'}>{children}</span>
      {isLast ? '' : ','}
    </div>
  );
}

function StringLine(props: NodeProps & { value: string }): ReactNode {
  const { name, value } = props;
  const media = useMemo(() => mediaInText(value), [value]);
  const [isWhole, setWhole] = useState(false);
  if (media !== undefined) {
    return (
      <>
        <Line {...props}>
          {`"${value.slice(0, 12)}…" `}
          <span className="json-note">{`${media.type}, ${formatBytes(media.bytes.length)}`}</span>
        </Line>
        <div className="json-media">
          <MediaView media={media} label={`${name ?? 'Value'} of the response`} />
        </div>
      </>
    );
  }
  if (isWhole || value.length <= maxCharacters) return <Line {...props}>{JSON.stringify(value)}</Line>;
  return (
    <Line {...props}>
      {`${JSON.stringify(value.slice(0, maxCharacters)).slice(0, -1)}…" `}
      <button type="button" className="json-more" onClick={() => setWhole(true)}>
        {`All ${value.length} characters`}
      </button>
    </Line>
  );
}

const nounOf = (isList: boolean, count: number): string =>
  count === 1 ? (isList ? 'entry' : 'property') : isList ? 'entries' : 'properties';

function Branch({ name, value, depth, isLast }: NodeProps & { value: object }): ReactNode {
  const [count, setCount] = useState(step);
  const isList = Array.isArray(value);
  const members = Object.entries(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  return (
    <details open={depth < openDepth}>
      <summary>
        <Name name={name} />
        {open}
        <span className="json-note">{` ${members.length} ${nounOf(isList, members.length)} `}</span>
      </summary>
      <div className="json-members">
        {members.slice(0, count).map(([key, each], index) => (
          <JsonNode
            key={key}
            {...(isList ? {} : { name: key })}
            value={each}
            depth={depth + 1}
            isLast={index === members.length - 1}
          />
        ))}
        {members.length <= count ? null : (
          <button type="button" className="json-more" onClick={() => setCount(count + step)}>
            {`Show ${Math.min(step, members.length - count)} of ${members.length - count} more`}
          </button>
        )}
      </div>
      {close}
      {isLast ? '' : ','}
    </details>
  );
}

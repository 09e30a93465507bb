/** Copies a request as code in the language that the reader chooses. */
import { type ReactNode, useState } from 'react';
import { type Language, languages } from './snippets.ts';

export interface CopyAsProps {
  /** Copies the request. @throws Error when the request is incomplete */
  onCopy: (language: Language) => Promise<void>;
}

const copiedMs = 1_500;
const names = Object.entries(languages);

function isLanguage(text: string): text is Language {
  return Object.hasOwn(languages, text);
}

export function CopyAs({ onCopy }: CopyAsProps): ReactNode {
  const [language, setLanguage] = useState<Language>('curl');
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await onCopy(language);
    setCopied(true);
    setTimeout(() => setCopied(false), copiedMs);
  };
  return (
    <span className="copy-as">
      <button type="button" onClick={() => void copy()}>
        {isCopied ? 'Copied' : 'Copy as'}
      </button>
      <select
        aria-label="Language to copy as"
        value={language}
        onChange={({ target }) => {
          if (isLanguage(target.value)) setLanguage(target.value);
        }}
      >
        {names.map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
}

/** Reports the fonts on this machine, and the scripts that none of them covers. */
import { platform } from '../../base/runtime/machine.ts';
import { readOutput } from '../../base/runtime/process.ts';
import { type Line, note, ok } from './line.ts';

/** A common character of each script, in hexadecimal, and the Debian package that has a font for it. */
const scripts = [
  { name: 'Chinese', character: '4e2d', from: 'fonts-noto-cjk' },
  { name: 'Japanese', character: '3042', from: 'fonts-noto-cjk' },
  { name: 'Korean', character: 'd55c', from: 'fonts-noto-cjk' },
  { name: 'emoji', character: '1f600', from: 'fonts-noto-color-emoji' },
  { name: 'Arabic', character: '0639', from: 'fonts-noto-core' },
  { name: 'Hebrew', character: '05d0', from: 'fonts-noto-core' },
  { name: 'Devanagari', character: '0915', from: 'fonts-noto-core' },
  { name: 'Bengali', character: '0995', from: 'fonts-noto-core' },
  { name: 'Thai', character: '0e01', from: 'fonts-noto-core' },
] as const;

const limitMs = 5_000;
const about = 'fonts';

export async function fontLines(): Promise<Line[]> {
  if (platform !== 'linux') return [ok(about, 'the system fonts')];
  const families = await familiesWith([]);
  if (families === undefined) {
    return [note(about, 'cannot be listed: fc-list is not installed (on Debian: apt-get install fontconfig).')];
  }
  const found = await Promise.all(
    scripts.map(async (script) => ({ ...script, fonts: await familiesWith([`:charset=${script.character}`]) })),
  );
  const lacking = found.filter(({ fonts }) => fonts?.size === 0);
  const names = (list: readonly { name: string }[]) => list.map(({ name }) => name).join(', ');
  const packages = [...new Set(lacking.map(({ from }) => from))].join(' ');
  return [
    families.size === 0
      ? note(about, 'none: browsers draw boxes instead of letters, except the embedded one, which includes a font.')
      : ok(about, `${families.size} families`),
    lacking.length === 0
      ? ok(about, `for ${names(found)}`)
      : note(about, `none for ${names(lacking)}: pages show boxes instead (on Debian: apt-get install ${packages}).`),
  ];
}

/** The font families that match the fontconfig patterns; undefined if fc-list is missing. */
async function familiesWith(patterns: string[]): Promise<Set<string> | undefined> {
  const output = await readOutput('fc-list', [...patterns, '--format', '%{family[0]}\n'], limitMs);
  return output === undefined ? undefined : new Set(output.split('\n').filter(Boolean));
}

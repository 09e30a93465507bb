/** Reads the images that `npm run screenshots -- --site` has created with this service. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputFile } from '../output.ts';
import { hashOf } from '../cache.ts';
import type { GeneratedImage } from '../../web/docs/site/model.ts';
import { assetFolder } from '../../web/docs/serve/asset.ts';

const folder = 'public/pictures';

/** The content of `list.json`, which describes each image. */
type List = Readonly<Record<string, { file: string; type: string; width: number; height: number; text: string }>>;

export interface SiteImages {
  files: OutputFile[];
  made: Record<string, GeneratedImage>;
  /** The image that social networks show with a link to a page. */
  card: GeneratedImage;
}

export async function readPictures(root: string): Promise<SiteImages> {
  const list: List = JSON.parse(await readFile(join(root, folder, 'list.json'), 'utf8'));
  const files: OutputFile[] = [];
  const made: Record<string, GeneratedImage> = {};
  for (const [name, { file, type, width, height, text }] of Object.entries(list)) {
    const bytes = await readFile(join(root, folder, file));
    const url = `${assetFolder}/${name}.${hashOf(bytes).slice(0, 8)}.${file.split('.').at(-1)}`;
    files.push({ path: url, type, text: bytes, lasting: true });
    made[name] = { url, width, height, text };
  }
  const { card } = made;
  if (card === undefined) throw new Error(`${folder} has no image named card`);
  return { files, made, card };
}

/** Serves the built pages of the service, such as the live view, without React or a template engine. */
import { BuiltFiles } from '../../../base/assets/built-files.ts';
import type { FilesManifest } from '../../../base/assets/manifest.ts';
import { builtFolder } from '../../../base/program/assets.ts';
import { fillSlots, type PageSlots } from './page-slots.ts';

export interface UiManifest extends FilesManifest {
  /** Paths of the pages' files, by page name. */
  pages: Readonly<Record<keyof PageSlots, string>>;
}

export class Ui {
  readonly #files = new BuiltFiles<UiManifest>(builtFolder('ui'));

  /**
   * Responds to GET or HEAD of a script, style, font or image under `/_ui/`; undefined when there is no file at this
   * path. The response depends only on the path, so caches may keep it forever.
   */
  async asset(path: string, request: Request): Promise<Response | undefined> {
    const manifest = await this.#files.manifest();
    const file = path.startsWith('/_ui/') ? manifest?.files[path] : undefined;
    if (file?.lasting !== true) return undefined;
    return this.#files.respond(request, file, {
      'Content-Type': file.type,
      'Cache-Control': 'public, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
      Vary: 'Accept-Encoding',
    });
  }

  /**
   * Returns the HTML of a page for one request.
   * @throws Error when the pages are not built
   */
  async page<Name extends keyof PageSlots>(name: Name, slots: PageSlots[Name]): Promise<string> {
    const manifest = await this.#files.manifest();
    const file = manifest?.files[manifest.pages[name]];
    if (file === undefined) throw new Error('The pages of the service are not built: run npm run build');
    return fillSlots(await this.#files.text(file), { ...slots });
  }
}

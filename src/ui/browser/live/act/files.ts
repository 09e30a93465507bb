/** Uploads what the watched page asks for, and lists what it downloads. */
import type { ServerMessage } from '../../../../live/messages.ts';
import { type Note, showNote } from './notes.ts';
import { button, copyOf, part, setText, within } from '../watch/parts.ts';

type FilesMessage = Extract<ServerMessage, { t: 'files' }>;
type DownloadMessage = Extract<ServerMessage, { t: 'download' }>;

const words = { running: 'Downloading…', complete: 'Downloaded', failed: 'The download has failed' } as const;

export interface Files {
  ask(message: FilesMessage): void;
  download(message: DownloadMessage): void;
}

/** @param base address below which uploads and downloads are */
export function createFiles(base: string): Files {
  const list = part('download-list', HTMLElement);
  const rows = new Map<string, HTMLElement>();
  let asked: Note | undefined;
  const addressOf = (path: string) => new URL(path, new URL(`${base}/`, location.href)).href;

  const upload = async (path: string, files: FileList, note: Note) => {
    const body = new FormData();
    for (const file of files) body.append('file', file);
    note.say(files.length === 1 ? `Uploading ${files[0]?.name}…` : `Uploading ${files.length} files…`);
    try {
      const answer = await fetch(addressOf(path), { method: 'POST', body });
      if (!answer.ok) throw new Error((await answer.text()).slice(0, 200) || `Status ${answer.status}`);
      note.close();
    } catch (error) {
      note.close();
      showNote('The upload has failed', error instanceof Error ? error.message : String(error));
    }
  };

  return {
    ask({ upload: path, multiple, accept }) {
      asked?.close();
      const input = document.createElement('input');
      input.type = 'file';
      input.multiple = multiple;
      input.accept = accept;
      const choose = () => {
        input.click();
        return true;
      };
      const note = showNote('The page asks for a file', multiple ? 'It takes several.' : '', [
        { label: 'Not now', act: () => false },
        { label: 'Choose', isMain: true, act: choose },
      ]);
      asked = note;
      input.addEventListener('change', () => {
        if (input.files !== null && input.files.length > 0) void upload(path, input.files, note);
      });
    },
    download({ id, name, state, href }) {
      let row = rows.get(id);
      if (row === undefined) {
        row = copyOf('download');
        rows.set(id, row);
        list.prepend(row);
        button('show-downloads').hidden = false;
      }
      setText(within(row, 'b', HTMLElement), name);
      setText(within(row, 'small', HTMLElement), words[state]);
      const link = within(row, 'a', HTMLAnchorElement);
      link.hidden = href === null;
      link.download = name;
      if (href !== null) link.href = addressOf(href);
      const save = href === null ? [] : [{ label: 'Save', isMain: true, act: () => link.click() }];
      if (state !== 'running') showNote(name, words[state], save);
      button('show-downloads').classList.toggle('busy', state === 'running');
    },
  };
}

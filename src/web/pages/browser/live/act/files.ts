/** Uploads files that the watched page asks for, and lists its downloads. */
import type { ServerMessage } from '../../../../../sessions/live/protocol/messages.ts';
import { type Note, showNote } from './notes.ts';
import { button, cloneTemplate, part, setText, within } from '../../dom/parts.ts';

type FilesMessage = Extract<ServerMessage, { t: 'files' }>;
type DownloadMessage = Extract<ServerMessage, { t: 'download' }>;

/** @param base URL prefix of uploads and downloads */
export function createFiles(base: string) {
  const list = part('download-list', HTMLElement);
  const rows = new Map<string, HTMLElement>();
  let asked: Note | undefined;
  const addressOf = (path: string) => new URL(path, new URL(`${base}/`, location.href)).href;

  const sendTo = async (path: string, init: RequestInit) => {
    const answer = await fetch(addressOf(path), init);
    if (!answer.ok) throw new Error((await answer.text()).slice(0, 200) || `Status ${answer.status}`);
  };

  const upload = async (path: string, files: FileList, note: Note) => {
    note.say(files.length === 1 ? `Uploading ${files[0]?.name}…` : `Uploading ${files.length} files…`);
    try {
      for (const file of files) await sendTo(`${path}/${encodeURIComponent(file.name)}`, { method: 'PUT', body: file });
      await sendTo(path, { method: 'POST' });
      note.close();
    } catch (error) {
      note.close();
      showNote('Upload failed', error instanceof Error ? error.message : String(error));
    }
  };

  return {
    ask({ upload: path, multiple, accept }: FilesMessage) {
      asked?.close();
      const input = document.createElement('input');
      input.type = 'file';
      input.multiple = multiple;
      input.accept = accept;
      const choose = () => {
        input.click();
        return true;
      };
      const note = showNote('The page is asking for a file', multiple ? 'You can choose several files.' : '', [
        { label: 'Not now', act: () => false },
        { label: 'Choose', isPrimary: true, act: choose },
      ]);
      asked = note;
      input.addEventListener('change', () => {
        if (input.files !== null && input.files.length > 0) void upload(path, input.files, note);
      });
    },
    download({ name, href }: DownloadMessage) {
      let row = rows.get(name);
      if (row === undefined) {
        row = cloneTemplate('download');
        rows.set(name, row);
        list.prepend(row);
        button('show-downloads').hidden = false;
      }
      setText(within(row, 'b', HTMLElement), name);
      const link = within(row, 'a', HTMLAnchorElement);
      link.download = name;
      link.href = addressOf(href);
      showNote(name, 'Downloaded', [{ label: 'Save', isPrimary: true, act: () => link.click() }]);
    },
  };
}

/** Shows controls that the watched browser cannot: the list of a `<select>`, and pickers of dates, times and colors. */
import { liveLimits } from '../../../../../base/limits.ts';
import type { ServerMessage } from '../../../../../sessions/live/protocol/messages.ts';
import type { Send } from '../watch/connection.ts';
import { cloneTemplate, part, within } from '../../dom/parts.ts';
import type { View } from '../watch/view.ts';

type SelectMessage = Extract<ServerMessage, { t: 'select' }>;
type PickerMessage = Extract<ServerMessage, { t: 'picker' }>;

const mostRows = 10;

/** Adds the options in their groups. Their order stays the same, so an index in the list is the index in the page. */
function fill(list: HTMLSelectElement, { options }: SelectMessage): void {
  let group: HTMLOptGroupElement | undefined;
  for (const { label, group: name, disabled, selected } of options) {
    if (name === '') group = undefined;
    else if (group?.label !== name) {
      group = document.createElement('optgroup');
      group.label = name;
      list.append(group);
    }
    const option = new Option(label, '', selected, selected);
    option.disabled = disabled;
    (group ?? list).append(option);
  }
}

/** Phones have their own picker, which opens from a plain field. */
const isPhone = matchMedia('(pointer: coarse)');

export function createPickers(view: View, send: Send, focus: () => void) {
  const frame = part('frame', HTMLElement);
  let open: HTMLElement | undefined;

  const close = () => {
    const closed = open;
    open = undefined;
    closed?.remove();
  };
  const answer = (value: { index: number } | { value: string }, node: number) => {
    if (open === undefined) return;
    close();
    send({ t: 'pick', node, ...value });
    focus();
  };
  const show = (element: HTMLElement, [x, y, width, height]: SelectMessage['rect'], isOver: boolean) => {
    close();
    open = element;
    frame.append(element);
    // Below the field if there is room, like a system list.
    view.place(element, isOver ? [x, y, width, height] : [x, y + height, width, 0]);
    if (!isOver) element.style.height = '';
    const box = element.getBoundingClientRect();
    const stage = frame.getBoundingClientRect();
    if (!isOver && box.bottom > stage.bottom) {
      element.style.top = `${Math.max(0, element.offsetTop - (box.bottom - stage.bottom))}px`;
    }
    if (box.right > stage.right)
      element.style.left = `${Math.max(0, element.offsetLeft - (box.right - stage.right))}px`;
    element.addEventListener('keydown', ({ key }) => {
      if (key !== 'Escape') return;
      close();
      focus();
    });
    element.addEventListener('focusout', ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && element.contains(relatedTarget)) && document.hasFocus()) close();
    });
  };
  const openPicker = (field: HTMLInputElement | HTMLSelectElement) => {
    try {
      field.showPicker();
    } catch {
      // Browsers require a recent click, and some have no such picker: use the field itself.
    }
  };

  return {
    select(message: SelectMessage) {
      const list = document.createElement('select');
      list.className = 'select';
      list.setAttribute('aria-label', 'Options');
      fill(list, message);
      const choose = () => {
        const { selectedIndex } = list;
        if (selectedIndex >= 0) answer({ index: Math.min(selectedIndex, liveLimits.options) }, message.node);
      };
      if (isPhone.matches) list.addEventListener('change', choose);
      else {
        list.size = Math.max(2, Math.min(mostRows, list.querySelectorAll('option, optgroup').length));
        list.addEventListener('click', ({ target }) => target instanceof HTMLOptionElement && choose());
        list.addEventListener('keydown', ({ key }) => key === 'Enter' && choose());
      }
      show(list, message.rect, isPhone.matches);
      list.focus({ preventScroll: true });
      if (isPhone.matches) openPicker(list);
    },
    picker({ node, kind, rect, value, min, max, step }: PickerMessage) {
      const form = cloneTemplate('picker');
      const field = within(form, 'input', HTMLInputElement);
      field.type = kind;
      if (min !== '') field.min = min;
      if (max !== '') field.max = max;
      if (step !== '') field.step = step;
      field.value = value;
      form.addEventListener('submit', (event) => {
        event.preventDefault();
        answer({ value: field.value.slice(0, 64) }, node);
      });
      show(form, rect, false);
      form.style.width = '';
      field.focus({ preventScroll: true });
      openPicker(field);
    },
    close,
  };
}

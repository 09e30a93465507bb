/**
 * Loads the pictures of sessions: of those in view, one after the other, and not more often than they are made; with
 * many in view less often, because each costs the server some 10 ms of CPU time.
 */

const everyMs = 5_000;
/** Each session in view makes all wait at least so much longer: at most 3.3 pictures a second are taken. */
const eachMs = 300;
const pauseMs = 500;
/** An answer that has not come by then is not waited for: the others would wait with it. */
const limitMs = 10_000;

export interface Pictures {
  /** Begins with a card. @param image is shown once there is a picture */
  add(id: string, card: Element, image: HTMLImageElement): void;
  /** Ends with a card. */
  remove(card: Element): void;
  /** Whether pictures are wanted now. */
  run(on: boolean): void;
}

interface Card {
  id: string;
  image: HTMLImageElement;
  isSeen: boolean;
  loadedAt: number;
}

/** @param addressOf the address of the picture of a session */
export function createPictures(addressOf: (id: string) => string): Pictures {
  const cards = new Map<Element, Card>();
  let isOn = false;
  let isLooking = false;
  let timer = 0;

  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const card = cards.get(target);
      if (card) card.isSeen = isIntersecting;
    }
    void look();
  });

  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    clearTimeout(timer);
    for (;;) {
      const inView = [...cards.values()].filter(({ isSeen }) => isSeen);
      const restMs = Math.max(everyMs, inView.length * eachMs);
      const due = inView.find(({ loadedAt }) => performance.now() - loadedAt > restMs);
      if (!due || !isOn || document.hidden) break;
      due.loadedAt = performance.now();
      await load(due).catch(() => {});
    }
    isLooking = false;
    if (isOn) timer = setTimeout(() => void look(), pauseMs);
  };

  const load = async (card: Card) => {
    const { id, image } = card;
    const answer = await fetch(addressOf(id), { cache: 'no-store', signal: AbortSignal.timeout(limitMs) });
    const picture = answer.status === 200 ? await answer.blob() : undefined;
    if (![...cards.values()].includes(card)) return;
    if (!picture) {
      // An old picture would pass for what the page shows now.
      if (answer.status === 204 || answer.status === 404) image.hidden = true;
      return;
    }
    const address = URL.createObjectURL(picture);
    const forget = () => URL.revokeObjectURL(address);
    image.addEventListener('load', forget, { once: true });
    image.addEventListener('error', forget, { once: true });
    image.src = address;
    image.hidden = false;
  };

  return {
    add(id, card, image) {
      cards.set(card, { id, image, isSeen: false, loadedAt: -Infinity });
      seen.observe(card);
    },
    remove(card) {
      cards.delete(card);
      seen.unobserve(card);
    },
    run(on) {
      isOn = on;
      clearTimeout(timer);
      if (on) void look();
    },
  };
}

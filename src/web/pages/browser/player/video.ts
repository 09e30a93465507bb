/** Shows a tab as its recorded video. */
import type { TabView, TabViewListener } from './picture.ts';

export function createVideo(stage: HTMLElement, address: string, listener: TabViewListener): TabView {
  const video = document.createElement('video');
  video.playsInline = true;
  video.preload = 'auto';
  video.tabIndex = -1;
  video.setAttribute('aria-label', 'Tab video');
  video.addEventListener('loadeddata', () => {
    if (Number.isFinite(video.duration)) listener.onLength(video.duration * 1_000);
    listener.onShown();
  });
  video.addEventListener('ended', () => listener.onEnd());
  video.addEventListener('error', () => {
    if (video.src === '') return;
    listener.onError('The video cannot be played: the link has expired, or this browser does not support AV1.');
  });
  video.src = address;
  stage.append(video);
  return {
    get ms() {
      return video.currentTime * 1_000;
    },
    // It rejects when a pause follows immediately.
    play: () => void video.play().catch(() => undefined),
    pause: () => video.pause(),
    seek(ms) {
      video.currentTime = ms / 1_000;
    },
    setSpeed(speed) {
      video.playbackRate = speed;
      // Another source starts with the default rate.
      video.defaultPlaybackRate = speed;
    },
    remove() {
      video.remove();
      // Without this, the removed video would keep loading.
      video.removeAttribute('src');
      video.load();
    },
  };
}

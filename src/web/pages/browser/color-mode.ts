/** The script of the color switch on pages whose own script comes later, or that have none. */
import { restoreColorMode, startColorMode } from './dom/color-mode.ts';

document.documentElement.classList.add('js');
restoreColorMode();
addEventListener('DOMContentLoaded', startColorMode);

// The two ways to work through a page that must both suffice: a pointer, and the keyboard alone.
import { expect } from '../browser/docket.js';

/** Points, and types where it pointed. */
export class Pointer {
  constructor(page) {
    this.page = page;
    this.unseen = [];
  }

  press(target) {
    return target.first().click();
  }

  write(target, text) {
    return target.first().fill(text);
  }
}

const STEPS = 300;

/** Goes from one element to the next with Tab, and notes each stop at which nobody can see where it is. */
export class Keyboard {
  constructor(page) {
    this.page = page;
    this.unseen = [];
  }

  /** Goes on until the target has the focus. */
  async reach(target) {
    const wanted = target.first();
    await wanted.waitFor();
    for (let step = 0; step < STEPS; step += 1) {
      if (await wanted.evaluate((element) => element === document.activeElement)) return;
      await this.page.keyboard.press('Tab');
      const unseen = await this.page.evaluate(unseenFocus);
      if (unseen) this.unseen.push(`${new URL(this.page.url()).pathname}: ${unseen}`);
    }
    throw new Error(`${wanted} is not reached by the keyboard`);
  }

  async press(target) {
    await this.reach(target);
    await expect(target.first()).not.toHaveAttribute('aria-disabled', 'true');
    const checks = await target.first().evaluate((element) => element.matches('[type=checkbox], [type=radio], [role=checkbox]'));
    await this.page.keyboard.press(checks ? 'Space' : 'Enter');
  }

  async write(target, text) {
    await this.reach(target);
    await this.page.keyboard.press('ControlOrMeta+a');
    await this.page.keyboard.type(text);
  }
}

/** Runs in the page: what has the focus without showing it, or nothing. */
function unseenFocus() {
  const focused = document.activeElement;
  if (!focused || focused === document.body) return '';
  const words = (focused.getAttribute('aria-label') ?? focused.textContent).trim().slice(0, 40);
  const name = `${focused.tagName.toLowerCase()}.${focused.getAttribute('class')} "${words}"`;
  const ringed = (element) => {
    // A drawing shows it by an edge of its own.
    const edges = element.ownerSVGElement ? [...element.children].map((part) => getComputedStyle(part)) : [];
    if (edges.some(({ stroke, strokeWidth }) => stroke !== 'none' && parseFloat(strokeWidth) >= 2)) return true;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1;
  };
  // A box around a field may show it in the field's place.
  let around = focused;
  for (let up = 0; up < 3 && around && !ringed(around); up += 1) around = around.parentElement;
  if (!around || !ringed(around)) return `no ring: ${name}`;
  const box = focused.getBoundingClientRect();
  if (box.width < 2 || box.height < 2) return ringed(focused) && around === focused ? `too small to see: ${name}` : '';
  const [left, right] = [Math.max(box.left, 0), Math.min(box.right, innerWidth)];
  const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
  if (right - left < 4 || bottom - top < 4) return `out of sight: ${name}`;
  const points = [0.2, 0.5, 0.8].map((part) => [left + (right - left) * part, top + (bottom - top) * part]);
  const free = points.some(([x, y]) => {
    const over = document.elementFromPoint(x, y);
    return over && (focused.contains(over) || over.contains(focused) || over.closest('label')?.control === focused);
  });
  return free ? '' : `covered: ${name}`;
}

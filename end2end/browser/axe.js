// Barriers that axe knows.
import AxeBuilder from '@axe-core/playwright';

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** What a page breaks of WCAG 2.2 AA and of `more`, a line for each rule. */
export async function barriers(page, ...more) {
  const { violations } = await new AxeBuilder({ page }).withTags([...WCAG, ...more]).analyze();
  return violations.map((found) => `${found.id}: ${found.nodes.map((node) => node.html).join(' | ')}`);
}

// Tells the user of a view-only device that this approval or question has to be answered elsewhere.

export function ViewOnlyHint() {
  return <p class="note">View only – answer on another device.</p>;
}

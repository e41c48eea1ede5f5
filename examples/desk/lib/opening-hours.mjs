export async function openingHours() {
  return { weekdays: '9 to 17' };
}

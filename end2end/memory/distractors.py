"""Writes distractors.txt: memories that answer none of the questions in pairs.tsv, but are about the same kinds of things.

    python3 distractors.py > distractors.txt
"""

import itertools
import random

COUNT = 850
PEOPLE = "Agnes Bogdan Celine Dmitri Elif Fatou Gustav Hiroko Imran Jolanta Kofi Liesel Mateo Niamh Otto Pilar Quentin Renske Samir Tova Ulrich Wanda Xavier Yara Zeno".split()
KIN = "aunt uncle colleague neighbour flatmate godson stepmother trainee tutor client".split()
PLACES = "Ghent Turin Malmo Porto Cork Brno Riga Basel Lyon Tampere Bilbao Gdansk Perth Quito Kyoto".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = "January March April July August November December".split()
FOODS = "lentils mangoes walnuts oysters radishes olives figs cabbage noodles waffles cheese pears".split()
THINGS = ["ladder", "projector", "kayak", "sewing machine", "telescope", "toaster", "record player", "snow shovel", "camera", "waffle iron"]
HOBBIES = ["judo", "calligraphy", "birdwatching", "salsa dancing", "bouldering", "knitting", "archery", "juggling", "karaoke", "gliding"]
WORK = ["quarterly forecast", "onboarding guide", "warehouse audit", "press kit", "security review", "budget draft", "supplier list", "release notes"]
SHOPS = ["bakery", "hardware shop", "florist", "cheese stall", "bookshop", "tailor", "market hall", "hairdresser"]

TEMPLATES = [
    ("My {kin} {person} lives in {place}.", "kin person place"),
    ("{person} does not like {food}.", "person food"),
    ("{person} is crazy about {food} and {food2}.", "person food food2"),
    ("{person} plays {hobby} every {day}.", "person hobby day"),
    ("The {thing} belongs to my {kin} {person}.", "thing kin person"),
    ("I lent the {thing} to {person} in {month}.", "thing person month"),
    ("The {shop} in {place} is closed on {day}.", "shop place day"),
    ("{person} is responsible for the {work}.", "person work"),
    ("The {work} has to be ready before {month}.", "work month"),
    ("I met {person} at a {hobby} course in {place}.", "person hobby place"),
    ("{person}'s birthday is on the {number}th of {month}.", "person number month"),
    ("{person} was in hospital in {month}.", "person month"),
    ("We go to {place} with {person} every {month}.", "place person month"),
    ("{person} prefers {day} for meetings about the {work}.", "person day work"),
    ("My {kin} {person} sold the {thing}.", "kin person thing"),
    ("{person} moved from {place} to {place2}.", "person place place2"),
    ("I buy {food} at the {shop} on {day}.", "food shop day"),
    ("{person} wants to take up {hobby} next {month}.", "person hobby month"),
    # About what the questions are about, of somebody else.
    ("My {kin} {person} is allergic to {food}.", "kin person food"),
    ("{person}'s dentist moved to {place}.", "person place"),
    ("{person} takes the train to {place} on {day}.", "person place day"),
    ("The gym in {place} is full on {day}.", "place day"),
    ("{person}'s favourite food is {food}.", "person food"),
    ("{person} parks the car in {place} at the airport.", "person place"),
    ("{person}'s wedding is in {place} in {month}.", "person place month"),
    ("The hotel in {place} serves {food} for breakfast.", "place food"),
    ("{person} waters the plants on {day}.", "person day"),
    ("{person} teaches {hobby} at the school in {place}.", "person hobby place"),
]


def main():
    chance = random.Random(18)
    pools = dict(kin=KIN, person=PEOPLE, place=PLACES, place2=PLACES, food=FOODS, food2=FOODS, hobby=HOBBIES, day=DAYS,
                 thing=THINGS, month=MONTHS, shop=SHOPS, work=WORK, number=[str(n) for n in range(4, 21)])
    seen = set()
    for template, slots in itertools.cycle(TEMPLATES):
        if len(seen) == COUNT:
            break
        filled = {slot: chance.choice(pools[slot]) for slot in slots.split()}
        if len(set(filled.values())) == len(filled):
            seen.add(template.format(**filled))
    for line in sorted(seen):
        print(line)


main()
